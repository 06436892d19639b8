// Columns of the page's data, as page_json.hpp writes them.

import assert from "node:assert/strict";
import test from "node:test";
import {unpacked, unpackedFloats, unpackedNumbers} from "../../experiments/program/report/page/base/unpack.js";
import {packed} from "./data.mjs";

test("unpack: one number stands for all of a column", () => {
  assert.deepEqual([...unpacked(7, 3)], [7, 7, 7]);
});

test("unpack: whole numbers of any size and sign come back", () => {
  const values = [0, 1, -1, 63, 64, -64, -65, 8191, 8192, 2 ** 40, -(2 ** 40), 2 ** 52];
  assert.deepEqual([...unpacked(packed(values), values.length)], values);
});

test("unpack: differences are added up", () => {
  assert.deepEqual([...unpacked(packed([10, 5, -3]).replace("v", "d"), 3)], [10, 15, 12]);
});

test("unpack: the program's own bytes are read", () => {
  // packed({1, 300, -2}) of page_json.cpp: zigzag 2, 600, 3; seven bits per byte.
  assert.deepEqual([...unpacked("vAtgEAw==", 3)], [1, 300, -2]);
});

test("unpack: numbers have a step or are parts of one, and may be missing", () => {
  assert.deepEqual(unpackedNumbers({values: packed([1, 2, 9]), step: 10, null: 9}, 3), [10, 20, null]);
  assert.deepEqual(unpackedNumbers({values: packed([1, 2]), per: 4}, 2), [0.25, 0.5]);
  assert.deepEqual(unpackedNumbers(null, 2), [null, null]);
});

test("unpack: floats are four bytes each", () => {
  const bytes = new Uint8Array(new Float32Array([1.5, -2, NaN]).buffer);
  assert.deepEqual([...unpackedFloats(btoa(String.fromCharCode(...bytes)))], [1.5, -2, NaN]);
});
