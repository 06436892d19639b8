/* The parts of Apache ECharts that the page's charts use; the page contains no others. */
/*! This page has parts of Apache ECharts, copyright The Apache Software Foundation, under the Apache License, Version 2.0
    (https://www.apache.org/licenses/LICENSE-2.0), and of zrender, copyright Baidu Inc., under the BSD 3-Clause License. */

import {BarChart, CustomChart, HeatmapChart, LineChart, SankeyChart, ScatterChart} from "echarts/charts";
import {
  DataZoomComponent, GraphicComponent, GridComponent, LegendComponent, MarkAreaComponent, MarkLineComponent,
  TitleComponent, TooltipComponent, VisualMapContinuousComponent,
} from "echarts/components";
import {init, use} from "echarts/core";
import {LabelLayout} from "echarts/features";
import {CanvasRenderer, SVGRenderer} from "echarts/renderers";

use([BarChart, CustomChart, HeatmapChart, LineChart, SankeyChart, ScatterChart,
  DataZoomComponent, GraphicComponent, GridComponent, LegendComponent, MarkAreaComponent, MarkLineComponent,
  TitleComponent, TooltipComponent, VisualMapContinuousComponent, LabelLayout, CanvasRenderer, SVGRenderer]);

export const initChart = init;
