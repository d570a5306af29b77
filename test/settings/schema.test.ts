import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { parseDocument } from "../../settings/document.ts";
import { PROJECT_USE, Settings, settingsJsonSchema } from "../../settings/schema.ts";

/** The descriptions of all settings of a schema, by path. */
function descriptionsOf(
  schema: unknown,
  path: readonly string[] = [],
): readonly (readonly [string, string | undefined])[] {
  if (!(schema instanceof z.ZodType)) return [];
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (inner instanceof z.ZodObject)
    return Object.entries(inner.shape).flatMap(([name, each]) => descriptionsOf(each, [...path, name]));
  if (inner instanceof z.ZodRecord && ["profiles", "models"].includes(path.at(-1) ?? ""))
    return descriptionsOf(inner.valueType, [...path, "*"]);
  const name = path.join(".");
  return [[name === "modes" || name === "mcpServers" ? `${name}.*` : name, schema.description]];
}

describe("the schema of settings", () => {
  test("has exactly the settings of the table of what a project may set", () => {
    const paths = descriptionsOf(Settings).map(([path]) => path);
    expect(paths.sort()).toEqual(Object.keys(PROJECT_USE).sort());
  });

  test("says of each setting what it does", () => {
    const missing = descriptionsOf(Settings).filter(([, description]) => description === undefined);
    expect(missing).toEqual([]);
  });

  test("accepts the example of the guide", async () => {
    const guide = readFileSync(new URL("../../docs/guide/settings.md", import.meta.url), "utf8");
    const [, text = ""] = /^```yaml\n(.*?)^```$/ms.exec(guide) ?? [];
    expect((await parseDocument(text, "settings.yaml", Settings)).value.profile).toBe("team");
  });

  test("is committed as JSON Schema in docs/generated/settings.schema.json", async () => {
    await expect(`${JSON.stringify(settingsJsonSchema(), undefined, 2)}\n`).toMatchFileSnapshot(
      "../../docs/generated/settings.schema.json",
    );
  });
});
