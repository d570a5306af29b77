import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Host } from "../../runtime/host.ts";
import { type JournalDriver, MemoryStore, memoryJournal } from "../../store/index.ts";
import { parseScript } from "../../testing/mock/script/script-parser.ts";
import { startMock } from "../../testing/mock/server/server.ts";
import { startedIn } from "./effects.ts";
import { recordsOf } from "./records.ts";
import { type Recovery, recover, type Scene } from "./recovery.ts";
import { CHILD_ID, COUNTER, PROMPT, SCRIPT, TASK_ID } from "./scenario.ts";
import { hostIn, optionsIn, type Place, placeIn, runToEnd } from "./scenario-run.ts";

const script = parseScript(SCRIPT);

/** The journals of one moment, by task. */
export type Journals = ReadonlyMap<string, Buffer>;

/** Journals in memory that several hosts use in turn. */
export class Disk {
  readonly #stores = new Map<string, MemoryStore>();

  constructor(journals: Journals = new Map()) {
    for (const [taskId, bytes] of journals) this.#stores.set(taskId, new MemoryStore(bytes));
  }

  store(taskId: string): MemoryStore {
    const store = this.#stores.get(taskId) ?? new MemoryStore();
    this.#stores.set(taskId, store);
    return store;
  }

  content(taskId: string): Buffer {
    return Buffer.concat(this.store(taskId).chunks());
  }

  host(place: Place): Host {
    return hostIn(place, (taskId) => memoryJournal({ store: this.store(taskId) }));
  }
}

/** Run `work` with a new place and mock server. */
export async function withScene<T>(
  disk: Disk,
  work: (scene: Scene) => Promise<T>,
  hooks = false,
): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), "signalbox-crash-"));
  const mock = await startMock(script);
  try {
    const place = await placeIn(folder, mock.url, hooks);
    const journal = async (taskId: string): Promise<Buffer> => disk.content(taskId);
    return await work({ place, mock, host: () => disk.host(place), journal });
  } finally {
    await mock.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The durable state after one more write to one of the journals. */
export interface Moment {
  readonly taskId: string;
  /** The number of the last written record. */
  readonly record: number;
  /** The size of each journal in bytes. */
  readonly sizes: ReadonlyMap<string, number>;
}

/** Record a run without a crash and its moments, in the order of the writes. */
export async function recordRun(hooks = false): Promise<{
  readonly journals: Journals;
  readonly moments: readonly Moment[];
}> {
  const disk = new Disk();
  const moments: Moment[] = [];
  const sizes = new Map([TASK_ID, CHILD_ID].map((taskId) => [taskId, 0]));
  const counts = new Map<string, number>();
  const recording = (taskId: string): JournalDriver => {
    const memory = memoryJournal({ store: disk.store(taskId) });
    return {
      ...memory,
      async append(lines, options) {
        await memory.append(lines, options);
        for (const line of lines) {
          const record = counts.get(taskId) ?? 0;
          counts.set(taskId, record + 1);
          sizes.set(taskId, (sizes.get(taskId) ?? 0) + Buffer.byteLength(line) + 1);
          moments.push({ taskId, record, sizes: new Map(sizes) });
        }
      },
    };
  };
  const work = async ({ place }: Scene): Promise<void> => {
    const host = hostIn(place, recording);
    const task = await host.create({ ...optionsIn(place), id: TASK_ID });
    await runToEnd(host, task, PROMPT);
    await host.closeAll();
  };
  await withScene(disk, work, hooks);
  const journals = new Map([...sizes.keys()].map((taskId) => [taskId, disk.content(taskId)]));
  return { journals, moments };
}

/** Recover a task from journals alone. Every other effect without a recorded end counts as run. */
export function recoverFrom(journals: Journals, hooks = false): Promise<Recovery> {
  const disk = new Disk(journals);
  const work = async (scene: Scene): Promise<Recovery> => {
    const started = [TASK_ID, CHILD_ID].flatMap((taskId) => startedIn(recordsOf(disk.content(taskId))));
    const ran = started.filter(({ ended }, index) => ended || index % 2 === 0);
    await writeFile(path.join(scene.place.workspace, COUNTER), ran.map(({ name }) => `${name}\n`).join(""));
    return recover(scene);
  };
  return withScene(disk, work, hooks);
}
