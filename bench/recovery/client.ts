import { fdatasyncSync, mkdirSync, openSync, writeSync } from "node:fs";
import { mkdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { systemClock } from "../../actors/index.ts";
import { createHost } from "../../runtime/host.ts";
import { createGate, fileJournal, type JournalDriver } from "../../store/index.ts";
import { encodeLine } from "../../store/journal/line.ts";
import type { JournalDraft } from "../../wire/journal/record.ts";
import { type Commands, command } from "../harness/index.ts";
import { CommitSource } from "./commit-source.ts";

const TASK_ID = "recovered";
/** The text of one message. */
const TEXT = "0123456789".repeat(30);
const silentModel = { id: "bench-model", async *stream() {} };

/** A journal of this many messages, one in each record. */
function* linesOf(messages: number, workspace: string): Generator<string> {
  const header = { seq: 0, kind: "header", version: 2, taskId: TASK_ID, createdAt: 1, workspace } as const;
  yield encodeLine(header);
  for (let seq = 1; seq <= messages; seq += 1) yield encodeLine(recordOf(seq));
}

const recordOf = (seq: number): JournalDraft => ({
  seq,
  kind: "commit",
  at: seq,
  cause: { type: "llm.text.end", requestId: 1, index: 0, at: seq },
  before: "streaming.receiving",
  after: "streaming.receiving",
  log: [{ type: "message.appended", message: { ts: seq, type: "say", say: "text", text: TEXT } }],
});

const Args = z.object({ folder: z.string() });
const Batches = z.object({ folder: z.string(), batches: z.number(), size: z.number() });

export const commands: Commands = {
  /** Write a journal. Returns its size in bytes. */
  write: command(Args.extend({ messages: z.number() }), async ({ folder, messages }) => {
    const dir = path.join(folder, "tasks", TASK_ID);
    await mkdir(dir, { recursive: true });
    const file = path.join(dir, "journal.jsonl");
    await writeFile(file, `${[...linesOf(messages, folder)].join("\n")}\n`);
    return (await stat(file)).size;
  }),
  /** Open it in a fresh process. */
  open: command(Args, async ({ folder }) => {
    const host = createHost({ dataDir: folder });
    globalThis.gc?.();
    const rssBefore = process.memoryUsage.rss();
    const peakBefore = process.resourceUsage().maxRSS * 1024;
    const cpu = process.cpuUsage();
    const began = performance.now();
    const task = await host.open(TASK_ID, { model: silentModel });
    const wallMs = performance.now() - began;
    const { user, system } = process.cpuUsage(cpu);
    const peak = process.resourceUsage().maxRSS * 1024;
    const messages = task.log.length;
    globalThis.gc?.();
    const kept = process.memoryUsage.rss() - rssBefore;
    await host.closeAll();
    return { wallMs, cpuMs: (user + system) / 1000, messages, peak: peak - Math.max(peakBefore, 0), kept };
  }),
  /**
   * Seconds for the same bytes in the same batches: through the gate and the file driver, and by plain writes, each
   * batch followed by its fdatasync. They alternate, so that both use the disk in the same state.
   */
  throughput: command(Batches, async ({ folder, batches, size }) => {
    const engine = new Engine(path.join(folder, "engine"));
    const plain = new Plain(path.join(folder, "plain"));
    const taken = { engine: 0, plain: 0, bytes: 0 };
    // The first part is not counted: it includes compiling the code.
    for (let batch = -PART; batch < batches; batch += PART) {
      const began = performance.now();
      for (let each = 0; each < PART; each += 1) await engine.commit(size);
      const between = performance.now();
      const lines = engine.take();
      const beganPlain = performance.now();
      for (const bytes of lines) plain.write(bytes);
      if (batch < 0) continue;
      taken.engine += between - began;
      taken.plain += performance.now() - beganPlain;
      taken.bytes += lines.reduce((sum, { length }) => sum + length, 0);
    }
    await engine.close();
    return taken;
  }),
};

/** Consecutive batches of one side. */
const PART = 50;

/** A gate with the file driver. Its batches are kept for the plain writes. */
class Engine {
  readonly #source = new CommitSource(TEXT);
  readonly #gate;
  #batches: (readonly string[])[] = [];

  constructor(dir: string) {
    const file = fileJournal({ dir });
    const driver: JournalDriver = {
      path: file.path,
      own: () => file.own(),
      append: (lines, options) => {
        this.#batches.push(lines);
        return file.append(lines, options);
      },
      read: () => file.read(),
      truncate: (length) => file.truncate(length),
      release: () => file.release(),
      close: () => file.close(),
    };
    this.#gate = createGate({
      driver,
      header: { taskId: TASK_ID, createdAt: 0 },
      clock: systemClock,
      scheduleWrite: setImmediate,
    });
    this.#gate.attach(this.#source);
  }

  /** Commit this often in one turn of the event loop, and resolve when all are durable. */
  async commit(size: number): Promise<void> {
    for (let each = 0; each < size; each += 1) this.#source.commit();
    await this.#gate.flushed();
  }

  take(): readonly Buffer[] {
    const batches = this.#batches;
    this.#batches = [];
    return batches.map((lines) => Buffer.from(`${lines.join("\n")}\n`));
  }

  close(): Promise<void> {
    return this.#gate.close();
  }
}

class Plain {
  readonly #file: number;

  constructor(dir: string) {
    mkdirSync(dir, { recursive: true });
    this.#file = openSync(path.join(dir, "plain"), "a");
  }

  write(bytes: Buffer): void {
    for (let from = 0; from < bytes.length; ) from += writeSync(this.#file, bytes, from);
    fdatasyncSync(this.#file);
  }
}
