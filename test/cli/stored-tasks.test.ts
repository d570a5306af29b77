import { EventEmitter, once } from "node:events";
import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { main } from "../../cli/main.ts";
import { LOCK } from "../../store/files/data-folder.ts";
import { type NestedTraces, recordNested } from "../page/nested.ts";
import { PostgresRig } from "../store/postgres/rig.ts";
import { hasPostgres } from "../support/postgres.ts";
import { silentIo } from "./in-process.ts";
import { temporaryFolder } from "./process.ts";

const folder = temporaryFolder();
const inFolder = (name: string): string => path.join(folder.path, name);
const RECORDED = inFolder("recorded");
let nested: NestedTraces;
beforeAll(async () => {
  nested = await recordNested(RECORDED);
  // They were open when they were copied.
  for (const id of nested.ids) rmSync(path.join(RECORDED, "tasks", id, LOCK));
});
afterAll(() => folder.remove());

interface Place {
  readonly name: string;
  /** The options that commands for its tasks have. */
  readonly options: readonly string[];
  readonly kind: string;
  readonly resume: (id: string) => string;
  /** Keep another process, or one like it, from opening the task until the returned function is called. */
  readonly hold: (id: string) => Promise<() => Promise<void>>;
}

class FilePlace implements Place {
  readonly name = "files";
  readonly kind = "data folder";
  readonly #dataDir: string;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  get options(): readonly string[] {
    return ["--data-dir", this.#dataDir];
  }

  resume(id: string): string {
    return `signalbox run --session-id ${id} --data-dir ${this.#dataDir}`;
  }

  async hold(id: string): Promise<() => Promise<void>> {
    const { fileJournal } = await import("../../store/journal/file.ts");
    const driver = fileJournal({ dir: path.join(this.#dataDir, "tasks", id) });
    await driver.own();
    return () => driver.close();
  }
}

class DatabasePlace implements Place {
  readonly name = "PostgreSQL";
  readonly kind = "database";
  readonly #rig: PostgresRig;

  constructor(rig: PostgresRig) {
    this.#rig = rig;
  }

  get options(): readonly string[] {
    return ["--data-dir", inFolder("empty"), "--database"];
  }

  resume(): string {
    return `signalbox serve --database --data-dir ${inFolder("empty")}`;
  }

  async hold(id: string): Promise<() => Promise<void>> {
    const driver = this.#rig.journalOfNewWorker(id);
    await driver.own();
    return () => driver.close();
  }
}

const places = hasPostgres ? (["files", "PostgreSQL"] as const) : (["files"] as const);
let rig: PostgresRig | undefined;
beforeAll(async () => {
  if (!hasPostgres) return;
  rig = await PostgresRig.start();
  const moved = await signalbox("db", "move", "--from", copied("moved"), "--to", rig.cluster.url());
  expect(moved.code, moved.stdout + moved.stderr).toBe(0);
});
afterAll(() => rig?.remove());

function copied(name: string): string {
  cpSync(RECORDED, inFolder(name), { recursive: true });
  return inFolder(name);
}

async function signalbox(...args: readonly string[]) {
  const io = { ...silentIo(), env: { SIGNALBOX_DATABASE: rig?.cluster.url() ?? "" }, on() {}, off() {} };
  const chunks: string[] = [];
  io.stdout.on("data", (chunk) => chunks.push(String(chunk)));
  const code = await main(args, io);
  return { code, stdout: chunks.join(""), stderr: String(io.stderr.read() ?? "") };
}

const recordOfRoot = (): Buffer => readFileSync(path.join(RECORDED, "tasks", nested.ids[0], "journal.jsonl"));
const filesIn = (dir: string): readonly string[] =>
  readdirSync(dir)
    .sort()
    .map((name) => `${name}: ${readFileSync(path.join(dir, name), "utf8")}`);
const Listed = z.object({
  tasks: z.array(z.looseObject({ id: z.string(), title: z.string(), parentId: z.string().optional() })),
});

describe.each(places)("the commands of the task history on tasks in %s", (name) => {
  let place: Place;
  /** The command of `args`, which succeeds. */
  const output = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await signalbox(...args, ...place.options);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    return stdout;
  };
  const listed = async () =>
    Listed.parse(JSON.parse(await output("list", "--all", "--format", "json"))).tasks;
  beforeAll(() => {
    place =
      rig !== undefined && name === "PostgreSQL" ? new DatabasePlace(rig) : new FilePlace(copied("files"));
  });

  test("list has each task below its parent, and sessions only roots", async () => {
    const [root, child, grandchild] = nested.ids;
    expect((await listed()).map(({ id, parentId }) => [id, parentId]).sort()).toEqual([
      [root, undefined],
      [child, root],
      [grandchild, child],
    ]);
    const text = await output("list", "--all");
    expect(text).toContain("Do it");
    const elsewhere = await output("list", "-w", folder.path);
    expect(elsewhere).toContain(
      `signalbox list --all ${place.kind === "database" ? "--database " : ""}--data-dir `,
    );
    expect(await output("list", "sessions", "-w", folder.path)).toBe("");
  });

  test("show has the messages, and how to resume and fork the task there", async () => {
    const [root, child] = nested.ids;
    const text = await output("show", root.slice(0, 8));
    expect(text).toMatch(new RegExp(`^Task ${root}\nTitle +Do it\n`));
    expect(text).toContain("All done.");
    expect(text).toContain(`To resume: ${place.resume(root)}\n`);
    expect(text).toMatch(
      new RegExp(
        `To fork: +signalbox fork ${root} --at \\d+ ${place.kind === "database" ? "--database " : ""}--data-dir`,
      ),
    );
    expect(await output("show", child)).toContain(`To resume: ${place.resume(root)}\n`);
    const { rows, parentId } = JSON.parse(await output("show", child, "--format", "json"));
    expect([rows.length > 0, parentId]).toEqual([true, root]);
  });

  test("export writes the same files from each store", async () => {
    const [root] = nested.ids;
    const original = ["--data-dir", RECORDED];
    await output("export", root, inFolder(`roo-${name}`));
    await signalbox("export", root, inFolder(`roo-of-${name}`), ...original);
    expect(filesIn(inFolder(`roo-${name}`))).toEqual(filesIn(inFolder(`roo-of-${name}`)));
    await output("export", root, inFolder(`${name}.json`), "--as", "inspect");
    await signalbox("export", root, inFolder(`of-${name}.json`), "--as", "inspect", ...original);
    const log = readFileSync(inFolder(`${name}.json`), "utf8");
    expect(log).toContain("exit 3");
    expect(log).toBe(readFileSync(inFolder(`of-${name}.json`), "utf8"));
  });

  test("rename gives a task a name, and takes it back", async () => {
    const [root] = nested.ids;
    const titles = async () => (await listed()).map(({ title }) => title);
    expect(await output("rename", root, "My task")).toBe(`Renamed task ${root} to My task.\n`);
    expect(await titles()).toContain("My task");
    await output("rename", root, "");
    expect(await titles()).toContain("Do it");
  });

  test("fork creates a task, and delete removes it; a task that is open is kept", async () => {
    const [root] = nested.ids;
    const forked = await output("fork", root, "--at", "1", "--id", "forked");
    expect(forked).toBe(`Forked ${root} at 1 as forked.\nTo resume: ${place.resume("forked")}\n`);
    expect((await listed()).map(({ id }) => id)).toContain("forked");
    const release = await place.hold("forked");
    const refused = await signalbox("delete", "forked", "--yes", ...place.options);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`process ${process.pid}`) });
    await release();
    expect(await output("delete", "forked", "--yes")).toBe("Deleted forked.\n");
    expect(await signalbox("show", "forked", ...place.options)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(new RegExp(`no task forked .* and the ${place.kind}`)),
    });
    expect(await output("delete", root, "--yes", "--recursive")).toContain(`Deleted ${root}.1.1.\n`);
    expect(await listed()).toEqual([]);
  });
});

describe("--database", () => {
  test.each([
    ["import", "x"],
    ["worktrees", "list"],
    ["run", "-p"],
  ])("is refused by %s %s, which works with files only", async (...args) => {
    const { code, stderr } = await signalbox(...args, "--database");
    expect(code).toBe(1);
    expect(stderr).toContain("unknown option '--database'\nThis command works with files only.\nOptions: ");
  });

  test("is refused with a list and with a file that are no tasks of a database", async () => {
    const models = await signalbox("list", "models", "--database");
    expect(models.stderr).toContain("models are in files. Omit --database.");
    const inspected = await signalbox("inspect", "a/b.jsonl", "--database");
    expect(inspected).toMatchObject({ code: 1, stdout: "" });
  });

  test("takes no other argument for a URL", async () => {
    const { code, stderr } = await signalbox("show", "--database", "3f2a");
    expect(code).toBe(1);
    expect(stderr).toContain("Give other arguments before --database.");
  });

  test.skipIf(!hasPostgres)("opens the visual debugger at a task of the database", async () => {
    await rig?.fill("inspected", recordOfRoot());
    const io = { ...silentIo(), env: { SIGNALBOX_DATABASE: rig?.cluster.url() ?? "" } };
    const signals = new EventEmitter();
    const args = ["inspect", "inspect", "--port", "0", "--data-dir", inFolder("empty"), "--database"];
    const code = main(args, Object.assign(signals, io));
    let stdout = "";
    while (!stdout.includes("#token=")) stdout += String((await once(io.stdout, "data"))[0]);
    expect(stdout).toMatch(/^Serving postgres:.*\nOpen http:\S+#token=\S+&task=inspected\n$/);
    signals.emit("SIGTERM");
    expect(await code).toBe(143);
  });

  test.skipIf(!hasPostgres)("prints commands without the URL, which may have a password", async () => {
    await rig?.fill("named", recordOfRoot());
    const url = rig?.cluster.url() ?? "";
    const { stdout } = await signalbox("show", "named", "--database", url, "--data-dir", folder.path);
    expect(stdout).toContain(`To resume: signalbox serve --database URL --data-dir ${folder.path}\n`);
    expect(stdout).not.toContain(url);
  });
});
