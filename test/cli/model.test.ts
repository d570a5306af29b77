import { EventEmitter } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { main, type ProgramName } from "../../cli/main.ts";
import { createHost } from "../../runtime/host.ts";
import { parseScript } from "../../testing/mock/script/script-parser.ts";
import { type MockServer, startMock } from "../../testing/mock/server/server.ts";
import { complete, scripted } from "../support/model.ts";

const OPUS = "claude-opus-4-8";
const HAIKU = "claude-haiku-4-5";
const SONNET = "claude-sonnet-4-6";
const ID = "6f1d1f0e-6a3b-4a6e-9a44-0d2f4a1b9c11";
const KEY = "sk-ant-secret-0123456789";
const folder = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A workspace with its tasks, and the command in it. */
class Place {
  readonly workspace = mkdtempSync(path.join(folder, "work-"));
  readonly data = path.join(this.workspace, "data");

  /** With a key. */
  run(args: readonly string[], env: NodeJS.ProcessEnv = {}, program: ProgramName = "signalbox") {
    return this.runKeyless(["-k", KEY, ...args], env, program);
  }

  taskIds(): readonly string[] {
    return readdirSync(path.join(this.data, "tasks"));
  }

  /** Another command on its tasks. */
  async does(...args: readonly string[]): Promise<string> {
    return (await this.#main([...args, "--data-dir", this.data], {}, "signalbox")).stdout;
  }

  runKeyless(args: readonly string[], env: NodeJS.ProcessEnv = {}, program: ProgramName = "signalbox") {
    return this.#main(["run", "-p", "-w", this.workspace, "--data-dir", this.data, ...args], env, program);
  }

  async #main(args: readonly string[], env: NodeJS.ProcessEnv, program: ProgramName) {
    const io = Object.assign(new EventEmitter(), {
      stdin: new PassThrough().end(),
      stdout: new PassThrough(),
      stderr: new PassThrough(),
      env,
    });
    const code = await main([...args], io, program);
    const said = (stream: PassThrough): string => String(stream.read() ?? "");
    return { code, stdout: said(io.stdout), stderr: said(io.stderr) };
  }
}

async function mockOf(): Promise<MockServer> {
  const turns = ["One.", "Two.", "Three."].map(
    (result) => `{ tool: attempt_completion, input: { result: ${result} } }`,
  );
  const mock = await startMock(parseScript(`[${turns.join(", ")}]`));
  onTestFinished(() => mock.close());
  return mock;
}

const modelsOf = ({ requests }: MockServer): unknown[] =>
  requests.map(({ body }) => (body as { readonly model?: unknown }).model);

describe("a resumed task keeps its model and endpoint", () => {
  test.each<ProgramName>(["signalbox", "signalbox-roo"])(
    "%s -c continues an opus task with opus, at its base URL",
    async (program) => {
      const [place, mock] = [new Place(), await mockOf()];
      await place.run(["--model", OPUS, "--base-url", mock.url, "Count"], undefined, program);
      const again = await place.run(["-c", "Go on"], undefined, program);
      expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("Two.") });
      expect(again.stderr + again.stdout).not.toContain("The model changed");
      expect(modelsOf(mock)).toEqual([OPUS, OPUS]);
    },
  );

  test("--model is another model, at the same endpoint; a message says so", async () => {
    const [place, mock] = [new Place(), await mockOf()];
    await place.run(["--model", OPUS, "--base-url", mock.url, "Count"]);
    const again = await place.run(["-c", "--model", HAIKU, "Go on"]);
    expect(again.stdout + again.stderr).toContain(
      `The model changed from ${OPUS} (anthropic, ${mock.url}) to ${HAIKU} (anthropic, ${mock.url}).`,
    );
    await place.run(["-c", "And on"]);
    expect(modelsOf(mock)).toEqual([OPUS, HAIKU, HAIKU]);
  });

  test.each(["--base-url", "ANTHROPIC_BASE_URL"])(
    "%s is another endpoint; a message says so",
    async (name) => {
      const [place, mock, other] = [new Place(), await mockOf(), await mockOf()];
      const at = (url: string): [string[], NodeJS.ProcessEnv] =>
        name === "--base-url" ? [[name, url], {}] : [[], { [name]: url }];
      const [args, env] = at(mock.url);
      await place.run(["--model", OPUS, ...args, "Count"], env);
      const [otherArgs, otherEnv] = at(other.url);
      const again = await place.run(["-c", ...otherArgs, "Go on"], otherEnv);
      expect(again.stdout + again.stderr).toContain(
        `The model changed from ${OPUS} (anthropic, ${mock.url}) to ${OPUS} (anthropic, ${other.url}).`,
      );
      expect([modelsOf(mock), modelsOf(other)]).toEqual([[OPUS], [OPUS]]);
    },
  );

  test("a task of the mock provider continues with it, without a key", async () => {
    const place = new Place();
    await place.runKeyless(["--provider", "mock", "Count"]);
    const again = await place.runKeyless(["-c", "Go on"]);
    expect(again.stdout).toContain("script_exhausted");
    expect(again.stderr + again.stdout).not.toContain("The model changed");
  });

  test("a task of a provider that the command does not have is not continued with another one unasked", async () => {
    const [place, mock] = [new Place(), await mockOf()];
    const host = createHost({ dataDir: place.data });
    const task = await host.create({ model: scripted([() => complete()]), workspace: place.workspace });
    await task.run("Count");
    await host.closeAll();
    const refused = await place.run(["-c", "Go on"]);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain("its model is scripted of the provider custom");
    const again = await place.run([
      "-c",
      "--provider",
      "anthropic",
      "--model",
      SONNET,
      "--base-url",
      mock.url,
      "Go on",
    ]);
    expect(again.code).toBe(0);
    expect(modelsOf(mock)).toEqual([SONNET]);
  });

  test("a task that recorded no model continues with the default", async () => {
    const [place, mock] = [new Place(), await mockOf()];
    const task = path.join(place.data, "tasks", "old");
    cpSync("test/fixtures/journals/v2/approving.jsonl", path.join(task, "journal.jsonl"));
    const again = await place.run(["--session-id", "old", "--base-url", mock.url, "Go on"]);
    expect(again.stdout + again.stderr).not.toContain("The model changed");
    expect(modelsOf(mock)).toEqual([SONNET]);
  });

  test("without a key, it is not continued", async () => {
    const [place, mock] = [new Place(), await mockOf()];
    await place.run(["--model", OPUS, "--base-url", mock.url, "Count"]);
    const refused = await place.runKeyless(["-c", "Go on"]);
    expect(refused.stderr).toContain("no API key: set ANTHROPIC_API_KEY");
    expect(refused.code).not.toBe(0);
  });
});

describe("a resumed task keeps the script of its mock model", () => {
  const done = (result: string) => `{ tool: attempt_completion, input: { result: ${result} } }`;
  const started = async (args: readonly string[] = ["--provider", "mock"]) => {
    const place = new Place();
    const script = path.join(place.workspace, "a script.yaml");
    writeFileSync(script, `[${done("One.")}, ${done("Two.")}]`);
    const relative = path.relative(process.cwd(), script);
    const first = await place.runKeyless([...args, "--script", relative, "Count"]);
    expect(first.stdout).toContain("One.");
    return { place, script };
  };
  /** The environment with settings that have mock profiles alone. */
  const withProfiles = () => {
    const config = mkdtempSync(path.join(folder, "config-"));
    mkdirSync(path.join(config, "signalbox"));
    writeFileSync(
      path.join(config, "signalbox", "settings.yaml"),
      "version: 1\nprofiles: { lead: { provider: mock, model: lead-1 }, amber: { provider: mock, model: amber-1 } }\nprofile: lead\n",
    );
    return { XDG_CONFIG_HOME: config };
  };

  test.each([[["-c"]], [["-c", "--provider", "mock"]]])("with the flags %j", async (flags) => {
    const { place } = await started();
    const again = await place.runKeyless([...flags, "Go on"]);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("Two.") });
    expect(again.stderr + again.stdout).not.toContain("The model changed");
  });

  test("a changed script is used, and a message says so; so does another one", async () => {
    const { place, script } = await started();
    writeFileSync(script, `[${done("One.")}, ${done("Other.")}, ${done("Three.")}]`);
    const again = await place.runKeyless(["-c", "Go on"]);
    expect(again.stdout).toContain("Other.");
    const url = pathToFileURL(script).href;
    expect(again.stdout + again.stderr).toMatch(
      /The model changed from \S+ \(mock, (\S+)#sha256=\w{12}\) to \S+ \(mock, \1#sha256=\w{12}\)\./,
    );
    expect(again.stdout + again.stderr).toContain(url);
    const other = path.join(place.workspace, "other.yaml");
    writeFileSync(other, `[${done("A.")}, ${done("B.")}, ${done("C.")}]`);
    const third = await place.runKeyless(["-c", "--script", other, "Go on"]);
    expect(third.stdout + third.stderr).toContain(
      `to claude-sonnet-4-6 (mock, ${pathToFileURL(other).href}#`,
    );
    expect(third.stdout).toContain("C.");
  });

  test("one that is gone is an error that names it", async () => {
    const { place, script } = await started();
    rmSync(script);
    const again = await place.runKeyless(["-c", "Go on"]);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("the script of its mock model can't be used");
    expect(again.stderr).toContain(script);
    expect(again.stderr).toContain("--script FILE");
  });

  test.each([[[]], [["--profile", "lead"]]])(
    "the script is for the mock profiles of the settings as well, with the flags %j",
    async (flags) => {
      const [place, env] = [new Place(), withProfiles()];
      const script = path.join(place.workspace, "script.yaml");
      writeFileSync(
        script,
        `rules:
  - { when: { user: part }, turns: [${done("A part.")}, ${done("Again.")}] }
  - { turns: [{ tool: new_task, input: { mode: code, message: a part, profile: amber } }, ${done("One.")}, { tool: new_task, input: { mode: code, message: a part, profile: amber } }, ${done("Two.")}] }
`,
      );
      const first = await place.runKeyless(["-y", ...flags, "--script", script, "Count"], env);
      expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining("One.") });
      const again = await place.runKeyless(["-y", "-c", "Go on"], env);
      expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("Two.") });
      expect(await place.does("list", "--all")).not.toContain("error");
      expect(await place.does("show", place.taskIds().find((id) => id.endsWith(".2")) ?? "")).toContain(
        "A part.",
      );
    },
  );
});

test("the key is not recorded", async () => {
  const [place, mock] = [new Place(), await mockOf()];
  await place.run([
    "--model",
    OPUS,
    "--base-url",
    mock.url,
    "-k",
    KEY,
    "--create-with-session-id",
    ID,
    "Count",
  ]);
  const journal = readFileSync(path.join(place.data, "tasks", ID, "journal.jsonl"), "utf8");
  const model = { provider: "anthropic", id: OPUS, endpoint: mock.url, contextWindow: 1_000_000 };
  expect(journal).toContain(`"model":${JSON.stringify(model)}`);
  expect(journal).not.toContain(KEY);
});

describe("an unknown cost shows as unknown, never as 0", () => {
  const run = async (...args: readonly string[]) => {
    const [place, mock] = [new Place(), await mockOf()];
    const model = ["--model", "house-model", "--base-url", mock.url];
    const { stdout } = await place.run([...model, "--create-with-session-id", ID, ...args, "Count"]);
    return { place, stdout };
  };

  test("in the list, which leaves a cost of 0 out, as it may be of a request that was cut off", async () => {
    const place = new Place();
    const mock = await startMock(
      parseScript(
        "[{ status: 400, body: { type: error, error: { type: invalid_request_error, message: no } } }]",
      ),
    );
    onTestFinished(() => mock.close());
    await place.run(["--model", "house-model", "--base-url", mock.url, "Count"]);
    const listed = await place.does("list", "-w", place.workspace);
    expect(listed).toMatch(/ s +1 +code +Count/);
    expect(listed).not.toContain("$0");
  });

  test("in list and show", async () => {
    const { place } = await run();
    expect(await place.does("list", "-w", place.workspace)).toMatch(
      /completed .* unknown {2}code {2}Count$/m,
    );
    expect(JSON.parse(await place.does("list", "--all", "--format", "json"))).toMatchObject({
      tasks: [{ cost: null }],
    });
    const shown = await place.does("show", ID);
    expect(shown).toMatch(/Used.* in, \d+ out, cost unknown$/m);
    expect(shown).not.toContain("$0");
  });

  test("in the NDJSON result, which has tokens and no cost", async () => {
    for (const format of ["json", "stream-json"]) {
      const { stdout } = await run("--output-format", format);
      const line = format === "json" ? stdout : (stdout.trimEnd().split("\n").at(-1) ?? "");
      const { cost } = JSON.parse(line);
      expect(cost.inputTokens).toBeGreaterThan(0);
      expect(cost).not.toHaveProperty("totalCost");
    }
  });

  test("in an export, whose messages have null and whose history item has no cost; an import keeps it", async () => {
    const { place } = await run();
    const out = path.join(place.workspace, "out");
    await place.does("export", ID, out);
    const read = (name: string): string => readFileSync(path.join(out, name), "utf8");
    expect(JSON.parse(read("history_item.json"))).not.toHaveProperty("totalCost");
    expect(read("ui_messages.json")).toContain('\\"cost\\":null');
    await place.does("import", out, "--id", "again", "-w", place.workspace);
    expect(await place.does("show", "again")).toContain("cost unknown");
  });
});
