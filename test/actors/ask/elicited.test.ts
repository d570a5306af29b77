import { describe, expect, test } from "vitest";
import { parseElicited } from "../../../actors/ask/elicited.ts";
import type { ElicitationField, ElicitationRequest } from "../../../machines/message/elicitation.ts";

const form = (
  properties: Readonly<Record<string, ElicitationField>>,
  required: readonly string[] = Object.keys(properties),
): ElicitationRequest => ({
  mode: "form",
  from: "tracker",
  message: "Where?",
  requestedSchema: { type: "object", properties, required },
});
const url: ElicitationRequest = {
  mode: "url",
  from: "tracker",
  message: "Sign in",
  url: "https://example.com",
};
const project = { type: "string", enum: ["web", "api"] } as const;
const issue = form({ project, count: { type: "integer", minimum: 1, default: 1 } }, ["project"]);

describe("the text that answers a request for input", () => {
  test.each<[what: string, request: ElicitationRequest, text: string, content: object]>([
    ["the fields as JSON, with defaults", issue, '{ "project": "web" }', { project: "web", count: 1 }],
    ["the value of the only field", form({ project }), " api ", { project: "api" }],
    ["a number", form({ count: { type: "number" } }), "2.5", { count: 2.5 }],
    ["a boolean", form({ sure: { type: "boolean" } }), "true", { sure: true }],
    [
      "several choices",
      form({ tags: { type: "array", items: { anyOf: [{ const: "a", title: "A" }] } } }),
      '["a"]',
      { tags: ["a"] },
    ],
    ["no field of a form whose fields are optional", form({ note: { type: "string" } }, []), "accept", {}],
  ])("may be %s", (_, request, text, content) => {
    expect(parseElicited(request, text)).toEqual({ ok: true, answer: { action: "accept", content } });
  });

  test.each(["decline", "cancel"])("may be the word %s, of any request", (action) => {
    for (const request of [issue, url, form({ name: { type: "string" } })])
      expect(parseElicited(request, ` ${action}\n`)).toEqual({ ok: true, answer: { action } });
  });

  test("confirms an address with accept", () => {
    expect(parseElicited(url, "accept")).toEqual({ ok: true, answer: { action: "accept" } });
    expect(parseElicited(url, "yes")).toEqual({ ok: false, error: "expected accept, decline or cancel." });
  });

  test.each<[what: string, request: ElicitationRequest, text: string, error: RegExp]>([
    ["no choice of the field", issue, '{ "project": "app" }', /^project: .*"web"\|"api"/],
    ["below a minimum", issue, '{ "project": "web", "count": 0 }', /^count: /],
    ["without a required field", issue, "accept", /^project: /],
    ["with an unknown field", issue, '{ "project": "web", "more": 1 }', /"more"/],
    ["no JSON, for several fields", issue, "web", /expected object/],
    [
      "not in the format of the field",
      form({ mail: { type: "string", format: "email" } }),
      "me",
      /^mail: .*email/,
    ],
  ])("is refused with the reason if it is %s", (_, request, text, error) => {
    expect(parseElicited(request, text)).toEqual({ ok: false, error: expect.stringMatching(error) });
  });
});
