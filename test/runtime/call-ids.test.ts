import { expect, test } from "vitest";
import { resultsById } from "../field-failures/results.ts";
import { DONE, openRig } from "../support/host.ts";

const read = (path: string): string => `{ tool: read_file, id: toolu_7, input: { path: ${path} } }`;

test("L6: two calls of one response with one id, and one of the next response, run each under its own id", async () => {
  await using rig = await openRig({
    script: `[{ blocks: [${read("a")}, ${read("b")}] }, { blocks: [${read("c")}] }, ${DONE}]`,
    files: { a: "one", b: "two", c: "three" },
  });
  expect((await rig.task.run("Read them")).result).toBe("Done.");
  const results = rig.sent().flatMap((messages) => resultsById(messages.slice(-1)));
  expect(results).toEqual([
    ["toolu_7", expect.stringContaining("one")],
    ["toolu_7_2", expect.stringContaining("two")],
    ["toolu_7_3", expect.stringContaining("three")],
  ]);
});
