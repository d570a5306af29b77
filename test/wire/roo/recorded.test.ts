import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fromRoo, type Mended, messageSchema } from "../../../wire/index.ts";
import { faultsOfRows } from "./laws.ts";

const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url));
const { logs } = z
  .object({ logs: z.array(z.object({ log: z.string(), messages: z.array(messageSchema) })) })
  .parse(JSON.parse(readFileSync(fixture("recorded-log-shapes.json"), "utf8")));

const lineOf = ({ index, rule, what }: Mended): string =>
  `${String(index).padStart(4)}  ${rule.padEnd(6)}  ${what}\n`;

describe("A log that was recorded in the field", () => {
  test.each(logs)("is imported, and its report is the committed one: $log", async ({ log, messages }) => {
    const read = fromRoo({ ui: messages });
    expect(read.messages).toHaveLength(messages.length);
    expect(faultsOfRows(read.messages)).toEqual([]);
    const text = `${log}: ${messages.length} rows, ${read.report.length} things mended\n\n${read.report.map(lineOf).join("")}`;
    await expect(text).toMatchFileSnapshot(fixture(`roo/${log}.report.txt`));
  });
});
