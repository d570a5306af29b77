import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Host } from "../../runtime/index.ts";
import { type JournalDriver, MemoryStore, memoryJournal } from "../../store/index.ts";
import { parseScript, startMock } from "../../testing/mock/index.ts";
import { startedIn } from "./effects.ts";
import { recordsOf } from "./records.ts";
import { type Recovery, recover, type Scene } from "./recovery.ts";
import { CHILD_ID, COUNTER, PROMPT, SCRIPT, TASK_ID } from "./scenario.ts";
import { hostIn, live, optionsIn, type Place, placeIn } from "./scenario-run.ts";

const script = parseScript(SCRIPT);

/** The journals of one moment, by task. */
export type Journals = ReadonlyMap<string, Buffer>;

/** Journals in memory, as a disk that several hosts use one after the other. */
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
    return Buffer.concat(this.store(taskId).pieces());
  }

  host(place: Place): Host {
    return hostIn(place, (taskId) => memoryJournal({ store: this.store(taskId) }));
  }
}

/** A place and a server of one task's own, for as long as `work` takes. */
export async function withScene<T>(disk: Disk, work: (scene: Scene) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), "signalbox-crash-"));
  const mock = await startMock(script);
  try {
    const place = await placeIn(folder, mock.url);
    const journal = async (taskId: string): Promise<Buffer> => disk.content(taskId);
    return await work({ place, mock, host: () => disk.host(place), journal });
  } finally {
    await mock.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** A moment of a life without a crash: what was durable after one more write to one of the journals. */
export interface Moment {
  readonly taskId: string;
  /** The number of the record that was written last. */
  readonly record: number;
  /** How many bytes of each journal were there. */
  readonly sizes: ReadonlyMap<string, number>;
}

/** A whole life, and each moment of it, in the order of the writes. */
export async function recordLife(): Promise<{
  readonly journals: Journals;
  readonly moments: readonly Moment[];
}> {
  const disk = new Disk();
  const moments: Moment[] = [];
  const sizes = new Map([TASK_ID, CHILD_ID].map((taskId) => [taskId, 0]));
  const counts = new Map<string, number>();
  const heard = (taskId: string): JournalDriver => {
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
  await withScene(disk, async ({ place }) => {
    const host = hostIn(place, heard);
    const task = await host.create({ ...optionsIn(place), id: TASK_ID });
    await live(host, task, PROMPT);
    await host.closeAll();
  });
  const journals = new Map([...sizes.keys()].map((taskId) => [taskId, disk.content(taskId)]));
  return { journals, moments };
}

/** Recovers a task from journals alone: of the effects without an end, every other one is taken to have run. */
export function recoverFrom(journals: Journals): Promise<Recovery> {
  const disk = new Disk(journals);
  return withScene(disk, async (scene) => {
    const started = [TASK_ID, CHILD_ID].flatMap((taskId) => startedIn(recordsOf(disk.content(taskId))));
    const ran = started.filter(({ ended }, index) => ended || index % 2 === 0);
    await writeFile(path.join(scene.place.workspace, COUNTER), ran.map(({ name }) => `${name}\n`).join(""));
    return recover(scene);
  });
}
