// How the page writes numbers, names and tables.

import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import test from "node:test";
import * as text from "../../experiments/program/report/page/base/text.js";

const table = (name, of, rows) => test(`text: ${name}`, () => {
  for (const [given, expected] of rows) assert.equal(of(...[given].flat()), expected, `of ${JSON.stringify(given)}`);
});

table("numbers keep four digits, whole ones all of theirs", text.number, [
  [0, "0"], [1234567, "1,234,567"], [0.123456, "0.1235"], [1234.56, "1,234.6"], [12345678.9, "1.235e7"], [0.0000001234, "1.234e-7"],
  [-2.5, "-2.5"], [null, "–"], [undefined, "–"], [NaN, "–"],
]);
table("durations have two parts of their two greatest units", text.duration, [
  [0, "0 s"], [0.5, "500 ms"], [59, "59 s"], [60, "1 min"], [90, "1 min 30 s"], [3599.9, "1 h"], [5400, "1 h 30 min"], [90000, "1 d 1 h"],
  [86400 * 400, "400 d"],
]);
table("bytes are in the greatest unit that they fill", text.bytes, [[0, "0 B"], [1023, "1,023 B"], [1024, "1 KiB"], [1.5 * 2 ** 40, "1.5 TiB"]]);
table("shares are percents, with one digit where there is little", text.percent, [[0, "0%"], [0.051, "5.1%"], [0.5, "50%"], [1, "100%"]]);
table("close shares have one digit", text.percent1, [[0, "0%"], [0.4567, "45.7%"], [1, "100%"], [null, "–"]]);
table("an amount is in the unit of its resource", text.amount, [[["memory", 2048], "2 KiB"], [["gpu", 2048], "2,048"]]);
table("a metric is in the unit that its name tells", text.inUnit, [[["free_bytes", 1024], "1 KiB"], [["wait_s", 1024], "1,024"], [["x", null], "–"]]);
table("a mean has the digits of its interval", text.withInterval, [
  [["wait_s", 18.2567, 0.274], "18.26 ± 0.27"], [["wait_s", 18.2567, null], "18.26"], [["wait_s", 18.2567, 0], "18.26"], [["wait_s", 18.2567, 5e-15], "18.26"], [["wait_s", null, 1], "–"],
]);
table("a time in seconds is in the unit that people say", text.quantity, [
  [["job_wait_s_mean[team-a]", 119, 12], "119 ± 12 s"], [["wait_s", 16492.67441664], "4.581 h"], [["jct_s_p95", 426, 264], "7.1 ± 4.4 min"],
  [["makespan_s", 1208599.1], "13.99 d"], [["gpu_time_idle_share", 0.25, 0.011], "0.250 ± 0.011"], [["free_bytes", 1024], "1 KiB"], [["wait_s", null], "–"],
]);
table("one is not several", text.plural, [[[1, "pod"], "1 pod"], [[0, "pod"], "0 pods"], [[1200, "pod"], "1,200 pods"]]);
table("markup is text", text.markup, [["<b>&\"'", "&lt;b&gt;&amp;&quot;&#39;"]]);

test("text: names of one beginning are told apart by their digits alone", () => {
  assert.deepEqual(text.shortNames(["rack-1", "rack-12"]), ["1", "12"]);
  assert.deepEqual(text.shortNames(["rack-1", "row-2"]), ["rack-1", "row-2"]);
  assert.deepEqual(text.shortNames(["rack", "rack-2"]), ["rack", "rack-2"]);
});

test("text: digits are those of the program's own tables", () => {
  const cases = JSON.parse(readFileSync(new URL("intervals.json", import.meta.url), "utf8"));
  for (const {value, ci95, text: expected} of cases) {
    assert.equal(text.toInterval("x", value, ci95).replaceAll(",", ""), expected, `${value} ± ${ci95}`);
  }
});

test("text: a table for other programs has plain numbers, and quotes what it must", () => {
  const rows = () => [["a, b", text.number(1234567.125), text.duration(90)], ["say \"so\"", text.percent(0.25), text.bytes(2048)], ["–", null, text.number(null)]];
  assert.equal(text.csvOf([{title: "name"}, {title: "x"}, {title: "y"}], rows), "name,x,y\n\"a, b\",1234567.125,90\n\"say \"\"so\"\"\",0.25,2048\n,,\n");
  assert.equal(text.number(1234567), "1,234,567", "numbers are for people again");
  assert.throws(() => text.inPlainWriting(() => { throw new Error("so"); }));
  assert.equal(text.isPlain(), false, "also after an error");
});
