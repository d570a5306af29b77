import assert from "node:assert";
import { sum } from "./sum.mjs";

assert.equal(sum(2, 3), 5);
assert.equal(sum(-1, -1), -2);
