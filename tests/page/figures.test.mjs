// Every figure has the same form: from data it makes a picture, words, and a table of the same
// data.

import assert from "node:assert/strict";
import {readdirSync} from "node:fs";
import test from "node:test";
import {initChart} from "../../experiments/program/report/page/base/echarts.js";
import {csvOf} from "../../experiments/program/report/page/base/text.js";
import {examples} from "./examples.mjs";
import {fakeBox} from "./fake_page.mjs";
import {useStyle} from "./theme.mjs";

const folders = ["../../experiments/program/report/page/", "../../schedulers/"].map((folder) => new URL(folder, import.meta.url));
const files = folders.flatMap((folder) => readdirSync(folder, {recursive: true}).filter((file) => file.endsWith("_figure.js"))
  .map((file) => new URL(file, folder).href)).sort();

useStyle();

/** What a figure draws, as text, and how many marks of the data it contains. */
function picture(figure) {
  const width = 900;
  const height = typeof figure.height === "function" ? figure.height(width) : figure.height;
  if (figure.paint) {
    const chart = figure.paint(fakeBox());
    chart.resize();
    chart.draw();
    return JSON.stringify(chart.canvas.drawn);
  }
  const chart = initChart(null, null, {renderer: "svg", ssr: true, width, height});
  chart.setOption({animation: false, ...figure.option(width)}, {notMerge: true});
  const text = chart.renderToSVGString();
  chart.dispose();
  return text.replace(/zr\d+-[a-z-]+\d+/g, "");  // these are numbered across all charts
}

const figures = await Promise.all(files.map(async (file) => {
  const made = Object.entries(await import(file)).filter(([name]) => name.endsWith("Figure"));
  return {file, name: made[0]?.[0], make: made[0]?.[1], count: made.length};
}));

test("figures: each module makes one, and each has an example here", () => {
  for (const {file, count} of figures) assert.equal(count, 1, `${file} has ${count} functions whose name ends in Figure: expected one`);
  assert.deepEqual(figures.map(({name}) => name).sort(), Object.keys(examples).sort());
});

for (const {name, make} of figures) {
  test(`figures: ${name} draws its data, and tells the same in words and in a table`, () => {
    const [given, one, other] = examples[name];
    const seen = [one, other].map((value) => {
      const figure = make(given(value));
      assert.ok(figure, "it draws nothing");
      assert.match(figure.id, /^[a-z][a-z0-9-]*$/);
      assert.ok(figure.summary.length > 10, "it has no words");
      const rows = figure.rows();
      assert.ok(rows.length > 0, "its table is empty");
      for (const row of rows) assert.equal(row.length, figure.columns.length, "a row has as many cells as there are columns");
      const saved = figure.csv ?? figure;
      const csv = csvOf(saved.columns, saved.rows);
      assert.equal(csv.split("\n").length, saved.rows().length + 2);
      assert.doesNotMatch(csv, /undefined|NaN|\[object/);
      const drawn = picture(figure);
      assert.doesNotMatch(drawn, /undefined|NaN/);
      assert.equal(picture(make(given(value))), drawn, "the same data is not the same picture");
      return {drawn, csv};
    });
    assert.notEqual(seen[0].drawn, seen[1].drawn, "a changed number is not in the picture");
    assert.notEqual(seen[0].csv, seen[1].csv, "a changed number is not in the table");
  });
}
