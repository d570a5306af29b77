import type ts from "typescript";
import { SUBJECTS } from "../../bench/subjects.ts";
import { SLASH_COMMANDS } from "../../cli/terminal/slash-commands.ts";
import { OPINION_LEVELS } from "../../machines/judge/opinion.ts";
import { ASK_KINDS, isAskType } from "../../machines/message/asks.ts";
import { ASK_VIEWS } from "../../present/asks.ts";
import { JUDGES } from "../../tools/judge/judges.ts";
import { APPROVERS, AUTHORS, EFFECTS, EVENT_KINDS, OUTCOMES, VERDICTS } from "../../tools/temporal/event.ts";
import { askTable, controlTable } from "./ask-tables.ts";
import { failureTable, featureTables, gapTable, reportTable } from "./claims-tables.ts";
import { commandTable, optionTableOf, runOptionTable } from "./command-tables.ts";
import { docsIn, formatCell, unionMembersIn } from "./docstrings.ts";
import { errorCodesIn, errorTable } from "./error-codes.ts";
import { formatTable } from "./format-table.ts";
import { galleryTable } from "./gallery-table.ts";
import { lawTable } from "./laws-table.ts";
import { groupTable, modeTable, ruleTable } from "./mode-tables.ts";
import { optionTables } from "./options-table.ts";
import { protocolList } from "./protocol-list.ts";
import { routeTable } from "./server-tables.ts";
import { settingTable } from "./settings-table.ts";
import { statusTable } from "./status-table.ts";
import { stdinTable } from "./stdin-table.ts";
import { styleVariables } from "./style-variables.ts";

/** A table that the code determines, between marks with its name in a page. */
interface PageTable {
  readonly page: string;
  readonly name: string;
  format(program: ts.Program): string | Promise<string>;
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
  { page: "docs/concepts/features.md", name: "features", format: featureTables },
  { page: "docs/concepts/field-failures.md", name: "failures", format: failureTable },
  { page: "docs/concepts/field-reports.md", name: "reports", format: reportTable },
  { page: "docs/concepts/lifecycle-gaps.md", name: "gaps", format: gapTable },
  { page: "docs/concepts/laws.md", name: "laws", format: lawTable },
  { page: "docs/reference/options.md", name: "options", format: optionTables },
  { page: "docs/reference/cli.md", name: "commands", format: commandTable },
  { page: "docs/reference/cli.md", name: "options of run", format: runOptionTable },
  {
    page: "docs/reference/cli.md",
    name: "slash commands",
    format: () =>
      formatTable(
        ["command", "effect"],
        Object.values(SLASH_COMMANDS).map(({ usage, about }) => [`\`${usage}\``, formatCell(about)]),
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
  { page: "docs/internals/pictures.md", name: "gallery", format: galleryTable },
  { page: "docs/reference/server.md", name: "routes", format: routeTable },
  memberTable("docs/reference/server.md", "bounds", ["limit", "meaning"], "server/bounds.ts", "ServerBounds"),
  { page: "docs/reference/ndjson.md", name: "commands", format: stdinTable },
  memberTable(
    "docs/reference/ndjson.md",
    "fields",
    ["field", "meaning"],
    "wire/ndjson/event.ts",
    "JsonEvent",
  ),
  memberTable(
    "docs/guide/clients.md",
    "events",
    ["event", "meaning and payload"],
    "client/roo/extension/client-events.ts",
    "ClientEvents",
  ),
  memberTable(
    "docs/guide/checkpoints.md",
    "limits",
    ["limit", "meaning"],
    "adapters/checkpoints/limits.ts",
    "CheckpointLimits",
  ),
  { page: "docs/concepts/derivation.md", name: "asks", format: askTable },
  { page: "docs/concepts/derivation.md", name: "controls", format: controlTable },
  { page: "docs/guide/settings.md", name: "settings", format: settingTable },
  { page: "docs/guide/task-history.md", name: "states", format: statusTable },
  { page: "docs/guide/modes.md", name: "modes", format: modeTable },
  { page: "docs/guide/modes.md", name: "groups", format: groupTable },
  { page: "docs/guide/modes.md", name: "rules", format: ruleTable },
  memberTable("docs/guide/editors.md", "members", ["member", "purpose"], "ports/editor.ts", "EditorPort"),
  memberTable("docs/guide/ledger.md", "fields", ["field", "meaning"], "store/ledger/entry.ts", "LedgerLine"),
  memberTable(
    "docs/guide/write-a-tool.md",
    "options",
    ["option", "meaning"],
    "tools/define-tool.ts",
    "ToolDefinition",
  ),
  memberTable(
    "docs/guide/models.md",
    "options",
    ["option", "meaning"],
    "adapters/anthropic/options.ts",
    "AnthropicOptions",
  ),
  {
    page: "docs/internals/performance.md",
    name: "benches",
    format: () =>
      formatTable(
        ["bench", "measures"],
        Object.entries(SUBJECTS).map(([name, subject]) => [`\`${name}\``, subject]),
      ),
  },
  {
    page: "docs/internals/verification.md",
    name: "bounds",
    format: () =>
      optionTableOf(
        "verify",
        /^--(?:turns|calls|blocks|queued|interruptions|crashes|retries|tools|thinks|opaque|checkpoints|max-states)$/,
      ),
  },
  {
    page: "docs/internals/verification.md",
    name: "counterexamples",
    format: () => optionTableOf("verify", /^--emit-(?!report)/),
  },
  {
    page: "docs/reference/lifecycle-events.md",
    name: "events",
    format: (program) =>
      formatTable(
        ["event", "fields", "when"],
        unionMembersIn(program, "client/lifecycle/events.ts", "LifecycleEvent").map(
          ({ type, fields, doc }) => [
            `\`${type}\``,
            fields
              .filter((name) => name !== "taskId")
              .map((name) => `\`${name}\``)
              .join(", "),
            doc,
          ],
        ),
      ),
  },
  {
    page: "docs/guide/debugger-embedding.md",
    name: "variables",
    format: () =>
      styleVariables()
        .map((name) => `\`${name}\``)
        .join(", "),
  },
  { page: "docs/guide/control-protocols.md", name: "protocols", format: protocolList },
  memberTable(
    "docs/guide/custom-actors.md",
    "actors",
    ["actor", "purpose"],
    "machines/task/task.setup.ts",
    "ActorInputs",
  ),
];

/** A table of the members of an exported interface, from their docstrings. */
function memberTable(
  page: string,
  name: string,
  head: readonly [string, string],
  file: string,
  type: string,
): PageTable {
  return {
    page,
    name,
    format: (program) =>
      formatTable(
        head,
        docsIn(program, file, type).map(([member, doc]) => [`\`${member}\``, doc]),
      ),
  };
}
