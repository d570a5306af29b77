import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { argumentKeys } from "../../tools/argument-keys.ts";
import { defineTool } from "../../tools/index.ts";

const ACCEPTED = /^[a-zA-Z0-9_.-]{1,64}$/;
const STATUS = "filter[status]";
const { stringify } = JSON;

/** The names of the arguments in a schema, at every depth. */
function names(schema: unknown): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) => [
    ...(key === "properties" ? Object.keys(value) : []),
    ...names(value),
  ]);
}

const text = { type: "string" };

describe("a key of arguments that endpoints reject (field report 5)", () => {
  test("is replaced at every depth, in references and values, and what has an accepted key stays", () => {
    const { schema, original } = argumentKeys({
      type: "object",
      properties: {
        [STATUS]: { ...text, description: "The status." },
        plain: { type: "object", properties: { "a b": text }, required: ["a b"] },
        list: { type: "array", items: { anyOf: [{ type: "object", properties: { "": text } }] } },
        again: { $ref: `#/properties/${encodeURIComponent(STATUS)}` },
        defined: { $ref: "#/$defs/an item" },
      },
      required: [STATUS, "plain"],
      dependentRequired: { [STATUS]: ["plain", STATUS] },
      $defs: { "an item": { type: "object", properties: { 日付: { type: "integer" } } } },
      patternProperties: { "^x[0-9]": { type: "object", properties: { ["l".repeat(65)]: text } } },
      default: { [STATUS]: "open" },
    });
    const used = names(schema);
    expect(used.filter((name) => !ACCEPTED.test(name))).toEqual([]);
    const status = used.find((name) => name.startsWith("filter_status_")) ?? "";
    expect(schema).toMatchObject({
      properties: {
        [status]: { type: "string", description: 'Called "filter[status]". The status.' },
        again: { $ref: `#/properties/${status}` },
        defined: { $ref: "#/$defs/an item" },
      },
      required: [status, "plain"],
      dependentRequired: { [status]: ["plain", status] },
      default: { [status]: "open" },
    });
    expect(Object.keys(Object(schema.patternProperties))).toEqual(["^x[0-9]"]);
    const [inner = ""] = names(Object(schema.properties).plain);
    expect(original({ [status]: "open", plain: { [inner]: "c" }, list: [{ [status]: 1 }] })).toEqual({
      [STATUS]: "open",
      plain: { "a b": "c" },
      list: [{ [STATUS]: 1 }],
    });
  });

  test("leaves a schema without such keys as it is", () => {
    const schema = { type: "object", properties: { a: text, required: { enum: ["a b"] } }, required: ["a"] };
    const keys = argumentKeys(schema);
    expect(keys.schema).toBe(schema);
    const input = { "any key": 1 };
    expect(keys.original(input)).toBe(input);
  });

  test("is the same after the way there and back, whatever the keys are", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ maxLength: 80 }), { minLength: 1, maxLength: 6 }), (keys) => {
        const properties = Object.fromEntries(keys.map((key) => [key, text]));
        const { schema, original } = argumentKeys({ type: "object", properties });
        const used = names(schema);
        expect(used.every((name) => ACCEPTED.test(name))).toBe(true);
        expect(new Set(used).size).toBe(keys.length);
        const given = Object.fromEntries(used.map((name, index) => [name, index]));
        expect(Object.keys(original(given)).sort()).toEqual([...Object.keys(properties)].sort());
      }),
    );
  });

  test("of an own tool reaches its `run` as it was defined", async () => {
    const tool = defineTool({
      name: "find",
      description: "Finds.",
      inputSchema: z.object({ [STATUS]: z.string() }),
      effect: "none",
      execute: (input) => stringify(input),
    });
    const [name = ""] = names(tool.inputSchema);
    expect(name).toMatch(ACCEPTED);
    expect(tool.prepare({ [name]: "open" })).toMatchObject({ ok: true });
    expect(tool.prepare({ [name]: 1 })).toMatchObject({ ok: false, error: expect.stringContaining(STATUS) });
    expect(tool.partial({ [name]: "open" })).toContain("filter[status]");
  });
});
