import { readFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { ExtensionClient, JsonEventEmitter, OutputManager } from "../../client/index.ts";
import { ASKS } from "../../machines/message/asks.ts";
import { detectAgentState } from "../../machines/message/detect.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import { jsonEventSchema } from "../../wire/index.ts";

interface PageRow {
  readonly row: string;
  readonly state: string;
  readonly client: readonly string[];
  /** Each event by its type, and subtype. */
  readonly json: readonly string[];
  readonly text: readonly string[];
}

const page = readFileSync(new URL("../../docs/concepts/interfaces.md", import.meta.url), "utf8");
const codesIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

/** The table that maps rows to faces: one entry for each row that it names. */
function pageRows(): readonly PageRow[] {
  const table = page.slice(page.indexOf("## Messages and states"), page.indexOf("## Answers"));
  return table.split("\n").flatMap((line) => {
    const [names = "", state = "", client = "", json = "", text = ""] = line.split(/ *\| */).slice(1);
    const named = codesIn(names).filter((name) => /^(?:ask|say):\w+$/.test(name));
    return named.map((row) => ({
      row: names.startsWith("the first") ? "the prompt" : row,
      state: codesIn(state)[0] ?? "",
      client: codesIn(client),
      // `exitCode` and `cost` are fields.
      json: codesIn(json.split(", with")[0] ?? ""),
      text: codesIn(text),
    }));
  });
}

const TEXTS: Readonly<Record<string, string>> = {
  "ask:tool": '{"tool":"readFile","path":"a.txt"}',
  "ask:followup": '{"question":"Which?","suggest":[]}',
  "say:api_req_started": "{}",
  "say:tool": "",
  "say:api_req_retried": "",
  "say:api_req_retry_delayed": "Again in 1 s",
  "say:api_req_rate_limit_wait": "Again in 1 s",
};
const START: readonly ClineMessage[] = [
  { ts: 1, type: "say", say: "text", text: "Go" },
  { ts: 2, type: "say", say: "api_req_started", text: '{"cost":1}' },
];

function rowOf(name: string): ClineMessage {
  const [type = "", kind = ""] = name.split(":");
  const text = TEXTS[name] ?? "Words.";
  return type === "ask" ? { ts: 3, type: "ask", ask: kind, text } : { ts: 3, type: "say", say: kind, text };
}

/** What the faces make of this row behind those. */
async function faced(row: ClineMessage, before: readonly ClineMessage[]) {
  const client = new ExtensionClient({ sendMessage: () => undefined });
  const stdout = new PassThrough();
  new JsonEventEmitter({ mode: "stream-json", stdout }).attachToClient(client);
  if (before.length > 0)
    client.handleMessage({ type: "state", state: { taskId: "t", clineMessages: before } });
  await new Promise(setImmediate);
  stdout.read();
  const told: string[] = [];
  for (const name of ["waitingForInput", "streamingStarted", "taskCompleted"] as const)
    client.on(name, () => told.push(name));
  client.handleMessage({ type: "state", state: { taskId: "t", clineMessages: [...before, row] } });
  await new Promise(setImmediate);
  const lines = String(stdout.read() ?? "").split("\n");
  const events = lines.filter((line) => line !== "").map((line) => jsonEventSchema.parse(JSON.parse(line)));
  const [out, error] = [new PassThrough(), new PassThrough()];
  const output = new OutputManager({ stdout: out, stderr: error });
  for (const each of [...before, row]) output.show(each);
  await output.flushed();
  return {
    state: detectAgentState([...before, row]).state,
    client: told,
    json: events.flatMap(({ type, subtype }) => (subtype === undefined ? [type] : [type, subtype])),
    text: [...`${out.read() ?? ""}${error.read() ?? ""}`.matchAll(/^\[.*?\]/gm)].map(([header]) => header),
  };
}

describe("the table of messages and interfaces in docs/concepts/interfaces.md", () => {
  const rows = pageRows();

  test("has a line for each kind of ask", () => {
    expect(rows.flatMap(({ row }) => (row.startsWith("ask:") ? [row.slice(4)] : [])).toSorted()).toEqual(
      Object.keys(ASKS).toSorted(),
    );
  });

  test.each(rows)("is what each face tells of $row", async ({ row, ...said }) => {
    const is = row === "the prompt" ? await faced(rowOf("say:text"), []) : await faced(rowOf(row), START);
    expect(is).toEqual(said);
  });
});
