import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fromRoo } from "../../../wire/index.ts";
import { messageSchema } from "../../../wire/message-schema.ts";
import type { Repair } from "../../../wire/roo/report.ts";
import { logFaults } from "./laws.ts";

const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url));
const { logs } = z
  .object({ logs: z.array(z.object({ log: z.string(), messages: z.array(messageSchema) })) })
  .parse(JSON.parse(readFileSync(fixture("recorded-log-shapes.json"), "utf8")));

const lineOf = ({ index, rule, what }: Repair): string =>
  `${String(index).padStart(4)}  ${rule.padEnd(6)}  ${what}\n`;

describe("A log recorded with Roo Code", () => {
  test.each(logs)("is imported with the committed report: $log", async ({ log, messages }) => {
    const imported = fromRoo({ ui: messages });
    expect(imported.messages).toHaveLength(messages.length);
    expect(logFaults(imported.messages)).toEqual([]);
    const text = `${log}: ${messages.length} messages, ${imported.report.length} repairs\n\n${imported.report.map(lineOf).join("")}`;
    await expect(text).toMatchFileSnapshot(fixture(`roo/${log}.report.txt`));
  });
});
