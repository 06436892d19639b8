/* The report page's files, taken into the binary as they are. The paths come from CMakeLists.txt. */
        .section .rodata
        .macro asset name, path
        .global \name
        .global \name\()_end
\name:
        .incbin "\path"
\name\()_end:
        .byte 0
        .endm

        asset berth_page_html, BERTH_PAGE_HTML
        asset berth_page_css, BERTH_PAGE_CSS
        asset berth_page_js, BERTH_PAGE_JS
        asset berth_echarts_js, BERTH_ECHARTS_JS

        .section .note.GNU-stack, "", %progbits
