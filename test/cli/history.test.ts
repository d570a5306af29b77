import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parseScript } from "../../testing/mock/script/script-parser.ts";
import { type MockServer, startMock } from "../../testing/mock/server/server.ts";
import { installed } from "./installed.ts";
import { Process } from "./process.ts";

const box = installed();

/** A workspace, a data folder, and a model that answers from a script. */
class Place {
  readonly base = mkdtempSync(path.join(box.folder, "place-"));
  readonly workspace = path.join(this.base, "work");
  readonly data = path.join(this.base, "data");
  readonly mock: MockServer;
  readonly #gate = path.join(this.base, "gate");

  constructor(mock: MockServer) {
    this.mock = mock;
    mkdirSync(this.workspace);
    execFileSync("mkfifo", [path.join(this.base, "begun"), this.#gate]);
    writeFileSync(path.join(this.workspace, "a.txt"), "one\n");
  }

  run(...args: readonly string[]): Process {
    const where = ["--data-dir", this.data, "--base-url", this.mock.url];
    return new Process(box.bin, ["run", ...where, ...args], {
      cwd: this.workspace,
      env: { ANTHROPIC_API_KEY: "sk-test-0123456789" },
    });
  }

  /** Another command, to its end. */
  async does(...args: readonly string[]) {
    const process = new Process(box.bin, [...args, "--data-dir", this.data], { cwd: this.workspace });
    return { code: await process.end(), stdout: process.stdout, stderr: process.stderr };
  }

  /** Resolves when the command has begun: what it does first is done. */
  get commandBegan(): Promise<Buffer> {
    return readFile(path.join(this.base, "begun"));
  }

  /** Lets a command end that has outlived its process. */
  openGate(): void {
    closeSync(openSync(this.#gate, constants.O_RDWR | constants.O_NONBLOCK));
  }

  file(name: string): string {
    return readFileSync(path.join(this.workspace, name), "utf8");
  }

  get ids(): readonly string[] {
    return readdirSync(path.join(this.data, "tasks")).filter((name) => !name.startsWith("."));
  }

  get id(): string {
    return this.ids[0] ?? "";
  }

  journal(id: string): string {
    return path.join(this.data, "tasks", id, "journal.jsonl");
  }

  /** What all files of the data folder but the list's index are and hold: any other write changes it. */
  get print(): string {
    const hash = createHash("sha256");
    for (const name of readdirSync(this.data, { recursive: true, encoding: "utf8" }).toSorted()) {
      const place = path.join(this.data, name);
      if (path.basename(name) === ".task-index") continue;
      hash.update(`${name}\n`);
      if (statSync(place).isFile()) hash.update(readFileSync(place));
    }
    return hash.digest("hex");
  }

  get asked(): string {
    return JSON.stringify(this.mock.requests.map(({ body }) => body));
  }
}

const places: Place[] = [];
afterAll(async () => {
  for (const place of places) {
    place.openGate();
    await place.mock.close();
  }
});

async function placeWith(script: string): Promise<Place> {
  const place = new Place(await startMock(parseScript(script)));
  places.push(place);
  return place;
}

const WRITE = `{ tool: write_to_file, input: { path: a.txt, content: "two\\n" } }`;
const COMMAND = `{ tool: execute_command, input: { command: "echo run >> ran.txt; echo > ../begun; exec cat ../gate" } }`;
const DONE = `{ tool: attempt_completion, input: { result: All done. } }`;
const MORE = `{ tool: attempt_completion, input: { result: More done. } }`;
const ANY = expect.anything();

describe.concurrent("a task whose process was killed in the middle of a command", () => {
  test("is listed as interrupted, shown, and completed by run --continue; its effect runs once (L11, L12, field failure 26)", async () => {
    const place = await placeWith(`[[{ text: I write. }, ${WRITE}], ${COMMAND}, ${DONE}]`);
    const first = place.run("-p", "-y", "Change it");
    await place.commandBegan;
    const running = await place.does("list");
    expect(running.stdout).toContain("running*");
    expect(running.stdout).toContain("* open in a running process");
    first.child.kill("SIGKILL");
    await first.code;

    const { id } = place;
    const before = place.print;
    const listed = await place.does("list");
    expect(listed.stdout.split("\n")[1]).toBe("Failed: 1");
    expect(listed.stdout.split("\n")[2]).toMatch(
      new RegExp(
        `^${id.slice(0, 8)}  interrupted +\\d+ s +\\d+ s +2  \\$0\\.\\d{4}  code  Change it  \\(its process ended\\)$`,
      ),
    );
    const shown = await place.does("show", id.slice(0, 6), "--seq");
    expect(shown.stdout).toContain("State      interrupted: its process ended");
    expect(shown.stdout).toMatch(/^ +1 {2}> Change it$/m);
    expect(shown.stdout).toMatch(/^ +\d+ {2}\* Overwrite a\.txt/m);
    expect(shown.stdout).toContain(`To resume: signalbox run --session-id ${id}`);
    expect(place.print).toBe(before);

    const again = place.run("-p", "-y", "--continue");
    expect(await again.end()).toBe(0);
    expect(again.stdout).toContain("[task complete] All done.");
    expect(again.stdout).not.toContain("I write.");
    expect(place.asked).toContain("uncertain");
    expect(again.stderr).toContain("[error] The outcome of execute_command is uncertain");
    expect(place.file("ran.txt")).toBe("run\n");
    expect(place.file("a.txt")).toBe("two\n");
    expect(place.ids).toEqual([id]);

    const rest = place.print;
    expect((await place.does("list")).stdout).toContain("completed");
    const idle = place.run("-p", "-c");
    expect(await idle.end()).toBe(0);
    expect(idle.stdout).toBe("[task complete] All done.\n");
    expect(idle.stderr).toContain(`Task ${id} is complete. Pass a prompt to continue it.`);
    expect(place.print).toBe(rest);
  });

  test("is resumed with a message, which is sent to the model", async () => {
    const place = await placeWith(`[${COMMAND}, [{ text: I see. }, ${DONE}]]`);
    const first = place.run("-p", "-y", "Go");
    await place.commandBegan;
    first.child.kill("SIGKILL");
    await first.code;
    const again = place.run("-p", "-y", "--session-id", place.id.slice(0, 8), "without the command");
    expect(await again.end()).toBe(0);
    expect(again.stdout).toContain("[assistant] I see.");
    expect(place.asked).toContain("without the command");
  });

  test("reports the torn end and where it was moved, and continues without it", async () => {
    const place = await placeWith(`[${COMMAND}, ${DONE}]`);
    const first = place.run("-p", "-y", "Go");
    await place.commandBegan;
    first.child.kill("SIGKILL");
    await first.code;
    writeFileSync(place.journal(place.id), `${readFileSync(place.journal(place.id), "utf8")}{"crc":"00`);
    expect((await place.does("show", place.id)).stdout).toMatch(
      /^Torn {7}from line \d+ on: its newline is missing$/m,
    );
    const again = place.run("-p", "-y", "-c");
    expect(await again.end()).toBe(0);
    expect(again.stderr).toMatch(
      /The last 10 bytes of the journal of task .*, from line \d+, were incomplete.* moved to (.*)\./,
    );
    const kept = /moved to (.*)\./.exec(again.stderr)?.[1] ?? "";
    expect(readFileSync(kept, "utf8")).toBe('{"crc":"00');
  });
});

describe.concurrent("a task that is complete", () => {
  test("takes a prompt as feedback, and prints its result as json without one", async () => {
    const place = await placeWith(`[${DONE}, ${MORE}]`);
    expect(await place.run("-p", "Go").end()).toBe(0);
    const told = place.run("-p", "--output-format", "json", "-c");
    expect(await told.end()).toBe(0);
    expect(JSON.parse(told.stdout)).toEqual({
      type: "result",
      success: true,
      content: "All done.",
      taskId: place.id,
      cost: ANY,
      events: ANY,
    });
    const more = place.run("-p", "-c", "not yet");
    expect(await more.end()).toBe(0);
    expect(more.stdout).toBe("[task complete] More done.\n");
    expect(place.asked).toContain("not yet");
  });

  test("is forked, and both tasks are shown and continue independently", async () => {
    const place = await placeWith(`[${WRITE}, ${DONE}, ${MORE}]`);
    expect(await place.run("-p", "-y", "Go").end()).toBe(0);
    const { id } = place;
    const before = readFileSync(place.journal(id), "utf8");
    const forked = await place.does("fork", id, "--at", "4", "--format", "json");
    const { taskId, ...rest } = JSON.parse(forked.stdout);
    expect(rest).toEqual({ type: "forked", forkedFrom: { taskId: id, seq: 4 } });
    expect((await place.does("show", taskId)).stdout).toContain(`Fork of    ${id} at 4`);
    const again = place.run("-p", "-y", "--session-id", taskId);
    expect(await again.end()).toBe(0);
    expect(again.stdout).toContain("[task complete] All done.");
    expect(readFileSync(place.journal(id), "utf8")).toBe(before);
    const beyond = await place.does("fork", id, "--at", "999");
    expect(beyond).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^\[CLI\] Error: .*from 1 to \d+/),
    });
    expect((await place.does("list", "--format", "json")).stdout).toContain(taskId);
  });

  test("says why a task rests: on a result, or on a failed request", async () => {
    const place = await placeWith(`[${DONE}]`);
    expect(await place.run("-p", "Failed").end()).toBe(0);
    // The script has no second turn.
    expect(await place.run("-p", "--continue", "Go on").end()).toBe(1);
    expect(await place.run("-p", "Completed").end()).toBe(0);
    const { stdout } = await place.does("list");
    expect(stdout).toMatch(/\nFailed: 1\n.* failed .*Failed {2}\(.+\)\nDone: 1\n.* completed .*Completed\n$/);
  });

  test("has a stable JSON format, in a list and alone", async () => {
    const place = await placeWith(`[${DONE}]`);
    expect(await place.run("-p", "Go").end()).toBe(0);
    const { id } = place;
    const total = {
      tokensIn: expect.any(Number),
      tokensOut: expect.any(Number),
      cacheWrites: expect.any(Number),
      cacheReads: expect.any(Number),
      cost: expect.any(Number),
    };
    const summary = {
      id,
      title: "Go",
      workspace: place.workspace,
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
      state: "idle",
      isInterrupted: false,
      rest: "completed",
      isCompleted: true,
      ask: { askId: expect.any(Number), kind: "completion_result", text: "" },
      ...total,
      mode: "code",
      model: "anthropic/claude-sonnet-4-6",
      requests: 1,
      bytes: statSync(place.journal(id)).size,
      lastSeq: expect.any(Number),
    };
    const listed = await place.does("list", "--format", "json");
    expect(JSON.parse(listed.stdout)).toEqual({ type: "tasks", tasks: [summary] });
    const shown = JSON.parse((await place.does("show", id, "--format", "json")).stdout);
    expect(shown).toEqual({
      type: "task",
      ...summary,
      rows: expect.arrayContaining([
        { seq: 1, row: { ts: expect.any(Number), type: "say", say: "text", text: "Go" } },
      ]),
      conversation: expect.any(Array),
      queue: [],
      total,
      writes: [],
    });
    const sessions = await place.does("list", "sessions", "--format", "json");
    expect(JSON.parse(sessions.stdout)).toEqual({
      workspace: place.workspace,
      sessions: [{ id, title: "Go", ts: expect.any(Number) }],
    });
    expect((await place.does("list", "sessions")).stdout).toMatch(new RegExp(`^${id}\\t\\d{4}-.*Z\\tGo\\n$`));
    expect((await place.does("list", "-w", place.base)).stdout).toBe(
      `No tasks in ${place.base}. To list all workspaces: signalbox list --all --data-dir ${place.data}\n`,
    );
  });

  test("is renamed, and deleted after confirmation", async () => {
    const place = await placeWith(`[${DONE}]`);
    expect(await place.run("-p", "Go").end()).toBe(0);
    const { id } = place;
    expect((await place.does("rename", id.slice(0, 8), "My task")).stdout).toBe(
      `Renamed task ${id} to My task.\n`,
    );
    expect((await place.does("list")).stdout).toContain("My task");
    expect(await place.does("delete", id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Add --yes"),
    });
    expect(place.ids).toEqual([id]);
    expect(await place.does("delete", id, "--yes")).toEqual({
      code: 0,
      stdout: `Deleted ${id}.\n`,
      stderr: "",
    });
    expect(place.ids).toEqual([]);
    expect(await place.does("show", id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("There is no task"),
    });
  });
});

describe.concurrent("a task that is open in another process", () => {
  test("is neither run nor deleted, and its owner is named; it can be renamed and shown", async () => {
    const place = await placeWith(`[${WRITE}, ${DONE}]`);
    const first = place.run("Change it");
    await first.said("? y/n/always/q, or");
    const holder = String(first.child.pid);
    const second = place.run("-p", "-c");
    expect(await second.end()).toBe(1);
    expect(second.stderr).toContain(`is open in another process`);
    expect(second.stderr).toContain(`process ${holder}`);
    expect(await place.does("delete", place.id, "-y")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`process ${holder}`),
    });
    expect((await place.does("rename", place.id, "Open")).code).toBe(0);
    expect((await place.does("list")).stdout).toMatch(/ waiting\* .* Open {2}\(asks .*\)\n/);
    expect((await place.does("show", place.id)).stdout).toContain(`Open in    process ${holder} on`);
    first.line("n");
    await first.said("Type what is missing");
    first.line("y");
    expect(await first.code).toBe(0);
  });
});

describe.concurrent("a task on a terminal", () => {
  test("that was quit prints how to resume; a resumed run shows its messages and asks to resume", async () => {
    const place = await placeWith(`[[{ text: I write. }, ${WRITE}], ${DONE}]`);
    const first = place.run("Change it");
    await first.said("? y/n/always/q, or");
    first.child.kill("SIGINT");
    await first.said("Enter to resume");
    first.line("q");
    expect(await first.code).toBe(0);
    expect(first.stderr).toMatch(
      new RegExp(
        `To resume: signalbox run --session-id ${place.id} --base-url \\S+ --data-dir ${place.data}\n`,
      ),
    );
    const again = place.run("--session-id", place.id);
    await again.said("Enter to resume");
    expect(again.stdout).toContain("> Change it\nI write.\n");
    again.line("");
    await again.said("Type what is missing");
    again.line("y");
    expect(await again.code).toBe(0);
  });

  test("continues with the prompt of the command line, and a completed one asks what to do next", async () => {
    const place = await placeWith(`[${DONE}, ${MORE}]`);
    const first = place.run("Go");
    await first.said("Type what is missing");
    first.line("y");
    expect(await first.code).toBe(0);
    const again = place.run("-c", "not yet");
    await again.said("Type what is missing");
    expect(again.stdout).not.toContain("Type what to do next");
    expect(again.stdout).toContain("Done. More done.");
    again.line("y");
    expect(await again.code).toBe(0);
    const last = place.run("-c");
    await last.said("Type what to do next");
    expect(await last.end()).toBe(0);
  });
});

describe.concurrent("a journal that is damaged in the middle", () => {
  test("is shown up to the damage and not run; the suggested fork runs", async () => {
    const place = await placeWith(`[${WRITE}, ${DONE}]`);
    expect(await place.run("-p", "-y", "Go").end()).toBe(0);
    const { id } = place;
    const lines = readFileSync(place.journal(id), "utf8").split("\n");
    lines[5] = "damage";
    writeFileSync(place.journal(id), lines.join("\n"));
    const shown = await place.does("show", id);
    expect(shown.stdout).toMatch(/^Damaged {4}from line 6 on: /m);
    const again = place.run("-p", "-y", "--session-id", id);
    expect(await again.end()).toBe(1);
    expect(again.stderr).toContain(`signalbox fork ${id} --at 4`);
    const forked = await place.does("fork", id, "--at", "4", "--id", "mended");
    expect(forked.stdout).toContain("To resume: signalbox run --session-id mended");
    expect(await place.run("-p", "-y", "--session-id", "mended").end()).toBe(0);
  });
});

describe.concurrent("the flags of a session", () => {
  const UUID = "6f1d2c3a-1111-4222-8333-944455556666";

  test("a new task gets the id that is given, once", async () => {
    const place = await placeWith(`[${DONE}]`);
    expect(await place.run("-p", "--create-with-session-id", UUID, "Go").end()).toBe(0);
    expect(place.ids).toEqual([UUID]);
    const again = place.run("-p", "--create-with-session-id", UUID, "Go");
    expect(await again.end()).toBe(1);
    expect(again.stderr).toContain(`task ${UUID} already exists`);
  });

  test.each([
    [["--session-id", "a", "--continue"], "cannot be used with option"],
    [["--session-id", "a", "--create-with-session-id", UUID], "cannot be used with option"],
    [["-c", "--ephemeral"], "cannot be used with option"],
    [["--create-with-session-id", "mine", "Go"], "Expected a UUID"],
    [["-p", "--session-id", "none"], "There is no task none in"],
    [["-p", "-c"], "has no task to continue"],
  ])("%j is refused", async (args, words) => {
    const place = await placeWith(`[${DONE}]`);
    const process = place.run(...args);
    expect(await process.end()).toBe(1);
    expect(process.stderr).toMatch(/^\[CLI\] Error: /);
    expect(process.stderr).toContain(words);
  });

  test("a checkpoint is taken before the workspace is changed, unless --no-checkpoints is given", async () => {
    const place = await placeWith(`[${WRITE}, ${DONE}]`);
    expect(await place.run("-p", "-y", "Go").end()).toBe(0);
    const { id } = place;
    expect(readFileSync(place.journal(id), "utf8")).toContain('"checkpoint_saved"');
    expect(await place.run("-p", "-y", "--no-checkpoints", "Go").end()).toBe(0);
    const other = place.ids.find((each) => each !== id) ?? "";
    expect(readFileSync(place.journal(other), "utf8")).not.toContain('"checkpoint_saved"');
  });
});
