import { EventEmitter } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { main } from "../../cli/main.ts";

const folder = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

function write(name: string, content: unknown): string {
  const file = path.join(folder, name);
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

const said = (stream: PassThrough): string => String(stream.read() ?? "").replaceAll(`${folder}/`, "");

async function verifyLog(file: string, ...args: string[]) {
  const io = Object.assign(new EventEmitter(), {
    stdin: new PassThrough().end(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: {},
  });
  const code = await main(["verify", "--log", file, ...args], io);
  return { code, stdout: said(io.stdout), stderr: said(io.stderr) };
}

describe("a session of another agent", () => {
  const session = fixture("transcripts/claude-code.jsonl");
  const CLAUSE = { name: "no command", always: { not: { event: "call.started", effect: "executes" } } };

  test("obeys the laws of messages, which are checked on the journal that is made from it", async () => {
    const { code, stdout } = await verifyLog(session);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/: session of another agent, \d+ records, no violations\.\n$/),
    });
  });

  test("is checked beside the other sessions of its file, by its id, and a policy needs a file with one session", async () => {
    const { code, stdout } = await verifyLog(fixture("transcripts/inspect.json"));
    expect({ code, lines: stdout.trimEnd().split("\n") }).toEqual({
      code: 0,
      lines: [
        expect.stringMatching(/: session of another agent ev1\.reports\.1, \d+ records, no violations\.$/),
        expect.stringMatching(/: session of another agent ev1\.broken\.1, \d+ records, no violations\.$/),
      ],
    });
    const policy = write("one.yaml", { version: 1, policies: [{ name: "careful", clauses: [CLAUSE] }] });
    const refused = await verifyLog(fixture("transcripts/inspect.json"), "--policy", policy);
    expect(refused.stderr).toContain("expected one session, got 2");
    expect(refused.code).toBe(1);
  });

  test("is refused with the line that was not read", async () => {
    const lines = readFileSync(session, "utf8").split("\n");
    const file = path.join(folder, "damaged.jsonl");
    writeFileSync(file, lines.toSpliced(3, 1, "{").join("\n"));
    const { code, stdout, stderr } = await verifyLog(file);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("damaged.jsonl, line 4: expected JSON");
  });

  test("is checked against policies over time, with the record of the call that breaks a clause", async () => {
    const policy = write("policy.yaml", { version: 1, policies: [{ name: "careful", clauses: [CLAUSE] }] });
    const { code, stdout } = await verifyLog(session, "--policy", policy);
    expect(code, stdout).toBe(1);
    expect(stdout).toContain("call.started Bash npm test -- cart");
  });
});

const checkedSchema = z.strictObject({
  file: z.string(),
  kind: z.enum(["rows", "conversation", "changes", "journal"]),
  length: z.number(),
  counts: z.enum(["row", "entry", "change", "record"]),
  violations: z.array(
    z.strictObject({
      law: z.string(),
      at: z.number(),
      block: z.number().optional(),
      expected: z.string(),
      came: z.string(),
    }),
  ),
  tail: z
    .object({ kind: z.enum(["torn", "damaged"]), line: z.number(), at: z.number(), reason: z.string() })
    .optional(),
});

/** What `--format json` says: one line for each log. */
async function verdicts(file: string) {
  const { code, stdout, stderr } = await verifyLog(file, "--format", "json");
  expect(stderr).toBe("");
  const lines = stdout.trimEnd().split("\n");
  return { code, logs: lines.map((line) => checkedSchema.parse(JSON.parse(line))) };
}

const CALLS = [{ type: "tool_use", id: "toolu_1", name: "bash", input: { command: "ls" } }];
const RESULTS = [{ type: "tool_result", tool_use_id: "toolu_1", content: "a.txt\nb.txt" }];

describe("signalbox verify --log over a conversation of the Messages API", () => {
  const GOOD = [
    {
      role: "user",
      content: [
        { type: "text", text: "What is here?", cache_control: { type: "ephemeral" } },
        { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Look.", signature: "c2lnbmVk" },
        { type: "text", text: "I look." },
        ...CALLS,
      ],
    },
    { role: "user", content: [...RESULTS, { type: "text", text: "Well?" }] },
    { role: "assistant", content: "Two files." },
  ];

  test("finds nothing in a valid one: thinking, images, calls and results (L6)", async () => {
    const { code, stdout, stderr } = await verifyLog(write("good.json", GOOD));
    expect(stdout).toBe("good.json: conversation, 4 entries, no violations.\n");
    expect(stderr).toBe("");
    expect(code).toBe(0);
  });

  test.each([
    [
      "a call without its result",
      [...GOOD.slice(0, 2), { role: "user", content: "Well?" }],
      [2, "each tool call has a result in the next user entry"],
    ],
    [
      "a result without its call",
      [GOOD[0], { role: "assistant", content: "Hm." }, GOOD[2]],
      [2, "each result has its tool call in the previous entry"],
    ],
    ["two answers in a row", [...GOOD, GOOD[3]], [4, "roles alternate"]],
    [
      "thinking without its signature",
      [GOOD[0], { role: "assistant", content: [{ type: "thinking", thinking: "Look." }, ...CALLS] }, GOOD[2]],
      [1, "thinking has its signature"],
    ],
  ])("names the entry with %s (L6)", async (_, entries, [at, expected]) => {
    const { code, logs } = await verdicts(
      write("bad.json", { model: "m", max_tokens: 9, messages: entries }),
    );
    expect(logs).toMatchObject([{ kind: "conversation", length: entries.length, counts: "entry" }]);
    expect(logs[0]?.violations).toMatchObject([{ law: "L6", at, expected }]);
    expect(code).toBe(1);
  });
});

describe("signalbox verify --log over logs that Roo Code wrote", () => {
  const rowSchema = z.looseObject({ ts: z.number(), type: z.string(), partial: z.boolean().optional() });
  const { logs } = z
    .object({ logs: z.array(z.object({ log: z.string(), messages: z.array(rowSchema) })) })
    .parse(JSON.parse(readFileSync(fixture("recorded-log-shapes.json"), "utf8")));

  test.each(logs)(
    "reads both files of its folder and names each row that breaks a law: $log",
    async ({ messages }) => {
      const task = mkdtempSync(path.join(folder, "task-"));
      const inTask = path.basename(task);
      write(`${inTask}/ui_messages.json`, messages);
      write(`${inTask}/api_conversation_history.json`, [
        { role: "user", content: "go", ts: 1 },
        { role: "assistant", content: CALLS, ts: 2 },
        { role: "user", content: RESULTS, ts: 3 },
      ]);
      const { code, logs } = await verdicts(task);
      const [rows, entries] = logs;
      expect(logs.map(({ file, length }) => [path.basename(file), length])).toEqual([
        ["ui_messages.json", messages.length],
        ["api_conversation_history.json", 3],
      ]);
      expect(entries?.violations).toEqual([]);
      const found = (law: string) => rows?.violations.filter((one) => one.law === law).map(({ at }) => at);
      const where = (isWrong: (row: z.infer<typeof rowSchema>, at: number) => boolean) =>
        messages.flatMap((row, at) => (isWrong(row, at) ? [at] : []));
      // L3: a partial row that is not the last. L5: a ts that is not after the one before.
      expect(found("L3")).toEqual(where((row, at) => row.partial === true && at < messages.length - 1));
      expect(found("L5")).toEqual(where((row, at) => at > 0 && row.ts <= (messages[at - 1]?.ts ?? 0)));
      expect(code).toBe(rows?.violations.length === 0 ? 0 : 1);
    },
  );
});

describe("signalbox verify --log over a signalbox journal", () => {
  const journal = readFileSync(fixture("journals/v2/commanding.jsonl"), "utf8");
  const lines = journal.trimEnd().split("\n");

  test("finds nothing in a log of a task", async () => {
    const { code, logs } = await verdicts(write("whole.jsonl", journal));
    expect(logs).toMatchObject([{ kind: "journal", length: lines.length, counts: "record", violations: [] }]);
    expect(logs[0]).not.toHaveProperty("tail");
    expect(code).toBe(0);
  });

  test("reports a torn end and checks the records before it: it was never acknowledged (L11)", async () => {
    const { code, logs } = await verdicts(write("torn.jsonl", journal.slice(0, -20)));
    expect(logs).toMatchObject([{ length: lines.length - 1, violations: [], tail: { kind: "torn" } }]);
    expect(logs[0]?.tail?.line).toBe(lines.length);
    expect(code).toBe(0);
  });

  test("reports the position of a damaged record; exit code 1", async () => {
    const damaged = lines.with(3, (lines[3] ?? "").replace(/.{8}$/, "xxxxxxxx"));
    const { code, stdout } = await verifyLog(write("damaged.jsonl", `${damaged.join("\n")}\n`));
    expect(stdout).toMatch(
      /^damaged\.jsonl: journal, 3 records, no violations\.\n {2}the end is damaged, from line 4 \(byte \d+\): /,
    );
    expect(code).toBe(1);
  });
});

describe("signalbox verify --log over an invalid log", () => {
  test.each([
    [
      "cut.json",
      '[\n{"ts":1,\n"type":',
      "cut.json, line 3 (byte 18): expected more of a JSON array, got the end.",
    ],
    [
      "notes.txt",
      "Hello\nworld\n",
      "notes.txt, line 1 (byte 0): expected a JSON array or JSON lines of messages",
    ],
    ["late.jsonl", '{"role":"user","content":"go"}\nnonsense\n', "late.jsonl, line 2 (byte 31): expected "],
  ])("says the line, what was expected and what to do; exit code 1: %s", async (name, text, words) => {
    const { code, stdout, stderr } = await verifyLog(write(name, text), "--format", "json");
    expect(stderr).toMatch(/^\[CLI\] Error: .*(Give a recorded log, or fix this place)\.\n$/);
    expect(stderr).toContain(words);
    expect(stdout).toBe("");
    expect(code).toBe(1);
  });
});

describe("signalbox verify --log --policy", () => {
  const use = (id: string, name: string, input: unknown) => [
    { role: "assistant", content: [{ type: "tool_use", id, name, input }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "x" }] },
  ];
  const LOG = [
    { role: "user", content: "Go" },
    ...use("t1", "Read", { file_path: ".env" }),
    ...use("t2", "Bash", { command: "ls" }),
    ...use("t3", "WebFetch", { url: "https://example.com" }),
  ];

  test("names the clause that a conversation of any agent breaks, and the entry since which", async () => {
    const { code, stdout } = await verifyLog(
      write("secret.json", LOG),
      "--policy",
      "no-network-after-secret",
    );
    expect(stdout).toBe(
      "secret.json: 10 events, policies no-network-after-secret: 1 violation.\n" +
        "  entry 5: no-network-after-secret: no network after a secret was read (since entry 1); got: call.started WebFetch example.com\n",
    );
    expect(code).toBe(1);
  });

  test("checks policies of a file, and says where nothing is broken", async () => {
    const policy = write(
      "calls.yaml",
      "version: 1\npolicies:\n  - name: calm\n    clauses:\n      - { name: few, always: { atMost: { count: 3, of: { event: call.started } } } }\n",
    );
    const { code, stdout } = await verifyLog(
      write("calm.json", LOG),
      "--policy",
      policy,
      "--policy",
      "budget(5)",
    );
    expect(stdout).toBe("calm.json: 10 events, policies calm, budget: no violations.\n");
    expect(code).toBe(0);
  });

  test("compares the arguments of calls, and a missing one equals none", async () => {
    const policy = write(
      "refunds.yaml",
      `version: 1
policies:
  - name: refunds
    clauses:
      - name: customer verified
        always:
          implies:
            - { event: call.started, tool: refund }
            - each:
                same: argument.customer
                of: { once: { event: call.ended, tool: verify, outcome: done, same: argument.customer } }
`,
    );
    const log = [
      { role: "user", content: "Go" },
      ...use("t1", "verify", { customer: "ann" }),
      ...use("t2", "refund", { customer: "ann" }),
      ...use("t3", "refund", { customer: "bob" }),
      ...use("t4", "refund", {}),
    ];
    const { code, stdout } = await verifyLog(write("refunds.json", log), "--policy", policy);
    expect(stdout).toContain("2 violations");
    expect(stdout).toContain("entry 5: refunds: customer verified");
    expect(stdout).toContain("entry 7: refunds: customer verified");
    expect(code).toBe(1);
  });

  test("reads a journal, with who permitted each call", async () => {
    const journal = write("run.jsonl", readFileSync(fixture("journals/v2/commanding.jsonl"), "utf8"));
    const { code, stdout } = await verifyLog(journal, "--policy", "budget(0)", "--format", "json");
    const breach = { policy: "budget", clause: "at most 0 calls without a person", since: [], values: [] };
    expect(JSON.parse(stdout)).toEqual({
      file: "run.jsonl",
      counts: "record",
      policies: ["budget"],
      events: 17,
      breaches: [
        { ...breach, at: 17, event: "call.started read_file notes.md" },
        { ...breach, at: 18, event: "call.started read_file list.txt" },
        { ...breach, at: 20, event: "call.started count" },
      ],
    });
    expect(code).toBe(1);
  });

  test("refuses unknown policies, and logs of messages alone", async () => {
    const log = write("any.json", LOG);
    expect((await verifyLog(log, "--policy", "rule-of-three")).stderr).toContain(
      "expected a file .yaml, .yml or .json, or one of rule-of-two, no-network-after-secret, tests-before-commit, no-write-outside(GLOB, ...), budget(CALLS); received 'rule-of-three'",
    );
    const rows = write("rows.json", [{ ts: 1, type: "say", say: "text", text: "Go" }]);
    const { code, stderr } = await verifyLog(rows, "--policy", "rule-of-two");
    expect(stderr).toContain("rows.json, element 0: expected a journal, or an entry of a conversation");
    expect(code).toBe(1);
    expect((await verifyLog(log, "--policy", "budget(x)")).stderr).toContain("received 'budget(x)'");
    expect((await verifyLog(log, "--policy", "no-write-outside(../a)")).stderr).toContain(
      "expected a glob relative",
    );
  });
});
