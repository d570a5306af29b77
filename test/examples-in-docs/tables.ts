import type ts from "typescript";
import { SLASH_COMMANDS } from "../../cli/terminal/slash-commands.ts";
import { OPINION_LEVELS } from "../../machines/judge/opinion.ts";
import { ASK_KINDS, isAskType } from "../../machines/message/asks.ts";
import { ASK_VIEWS } from "../../present/asks.ts";
import { JUDGES } from "../../tools/judge/judges.ts";
import { APPROVERS, AUTHORS, EFFECTS, EVENT_KINDS, OUTCOMES, VERDICTS } from "../../tools/temporal/event.ts";
import { docsIn } from "./docstrings.ts";
import { errorCodesIn, errorTable } from "./error-codes.ts";
import { optionTables } from "./options-table.ts";
import { protocolList } from "./protocol-list.ts";

/** A table that the code determines, between marks with its name in a page. */
interface PageTable {
  readonly page: string;
  readonly name: string;
  format(program: ts.Program): string;
}

/** The values of the fields of a policy's pattern that have a fixed number of them. */
const FIELD_VALUES = new Map<string, readonly string[]>([
  ["event", EVENT_KINDS],
  ["effect", EFFECTS],
  ["outcome", OUTCOMES],
  ["verdict", VERDICTS],
  ["author", AUTHORS],
  ["by", APPROVERS],
]);

export const TABLES: readonly PageTable[] = [
  {
    page: "docs/reference/errors.md",
    name: "codes",
    format: (program) => errorTable(errorCodesIn(program)),
  },
  { page: "docs/reference/options.md", name: "options", format: optionTables },
  {
    page: "docs/reference/cli.md",
    name: "slash commands",
    format: () =>
      formatTable(
        ["command", "effect"],
        Object.values(SLASH_COMMANDS).map(({ usage, about }) => [
          `\`${usage}\``,
          about.replaceAll("|", "\\|"),
        ]),
      ),
  },
  {
    page: "docs/guide/answer-asks.md",
    name: "asks",
    format: () =>
      formatTable(
        ["`kind`", "`ask` of its message", "meaning"],
        Object.entries(ASK_KINDS).map(([type, kind]) => [
          `\`${kind}\``,
          `\`${type}\``,
          isAskType(type) ? ASK_VIEWS[type].about : "",
        ]),
      ),
  },
  {
    page: "docs/guide/policies.md",
    name: "judges",
    format: () =>
      formatTable(
        ["judge", "decides"],
        JUDGES.map(({ name, decides }) => [name, decides]),
      ),
  },
  {
    page: "docs/guide/policies.md",
    name: "levels",
    format: () =>
      formatTable(
        ["level", "verdict", "`bypass` decides"],
        OPINION_LEVELS.map(({ level, verdict, yields }) => [level, verdict, yields ? "yes" : "no"]),
      ),
  },
  {
    page: "docs/guide/temporal-policies.md",
    name: "fields",
    format: (program) =>
      formatTable(
        ["field", "matches", "values"],
        docsIn(program, "tools/temporal/formula.ts", "EventPattern").map(([name, doc]) => [
          `\`${name}\``,
          doc,
          (FIELD_VALUES.get(name) ?? []).map((value) => `\`${value}\``).join(", "),
        ]),
      ),
  },
  { page: "docs/guide/control-protocols.md", name: "protocols", format: protocolList },
  {
    page: "docs/guide/custom-actors.md",
    name: "actors",
    format: (program) =>
      formatTable(
        ["actor", "purpose"],
        docsIn(program, "machines/task/task.setup.ts", "ActorInputs").map(([name, doc]) => [
          `\`${name}\``,
          doc,
        ]),
      ),
  },
];

const formatTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "-"), ...rows].map((cells) => `|${cells.join("|")}|`).join("\n");
