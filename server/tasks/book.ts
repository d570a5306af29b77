import type { Clock } from "../../actors/index.ts";
import type { Host, Task, TaskHistory } from "../../runtime/index.ts";
import { TaskHistoryError } from "../../store/index.ts";
import type { TaskCard } from "../../wire/index.ts";
import type { ServerBounds } from "../bounds.ts";
import { type Origin, openCard, originOf, recordedCard, summaryCard } from "./cards.ts";

export interface BookOptions {
  readonly host: Host;
  readonly history: TaskHistory;
  readonly clock: Clock;
  readonly bounds: Pick<ServerBounds, "cardsMs">;
  readonly onError: (error: unknown) => void;
}

/** Characters of a prompt that stand for a name. */
const TITLE_CHARS_MAX = 100;

/** Told of each card that changed: its task, and the card as JSON. */
export type CardListener = (taskId: string, json: string) => void;

interface Known {
  readonly task: Task;
  updatedAt: number;
  origin?: Promise<Origin>;
}

/** The cards of all tasks, open or not, and what changes in them. Changes are gathered, and told once for all. */
export class Book {
  readonly #options: BookOptions;
  readonly #open = new Map<string, Known>();
  readonly #listeners = new Set<CardListener>();
  readonly #changed = new Set<string>();
  /** What was told last of each task, while somebody listens. */
  readonly #told = new Map<string, string>();
  readonly #opened: { unsubscribe(): void };
  #forget: (() => void) | undefined;

  constructor(options: BookOptions) {
    this.#options = options;
    for (const task of options.host.tasks.values()) this.#add(task);
    this.#opened = options.host.opened$.subscribe((task) => this.#add(task));
  }

  /** All tasks, the one that changed last first. @throws TaskHistoryError `HISTORY_IO` */
  async list(): Promise<readonly TaskCard[]> {
    const cards = new Map<string, TaskCard>();
    for (const summary of await this.#options.history.list()) cards.set(summary.id, summaryCard(summary));
    for (const known of [...this.#open.values()]) cards.set(known.task.id, await this.#openCard(known));
    return [...cards.values()].sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : 1));
  }

  /** @throws TaskHistoryError `TASK_UNKNOWN`, `ID_INVALID`, `HISTORY_IO` @throws JournalError those of reading */
  async card(taskId: string): Promise<TaskCard> {
    const known = this.#open.get(taskId);
    return known === undefined
      ? recordedCard(await this.#options.history.read(taskId))
      : this.#openCard(known);
  }

  /** @throws TaskHistoryError `TASK_UNKNOWN`, `ID_INVALID`, `HISTORY_IO` where there is no such task */
  async expect(taskId: string): Promise<void> {
    const { history } = this.#options;
    if (this.#open.has(taskId) || (await history.ids()).includes(taskId)) return;
    await history.summary(taskId);
  }

  /** The function it gives ends it. */
  onCard(listener: CardListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#told.clear();
    };
  }

  /** A task was named, or made. */
  changed(taskId: string): void {
    delete this.#open.get(taskId)?.origin;
    this.#mark(taskId);
  }

  close(): void {
    this.#opened.unsubscribe();
    this.#forget?.();
    this.#listeners.clear();
  }

  #add(task: Task): void {
    const { clock } = this.#options;
    const known: Known = { task, updatedAt: clock.now() };
    this.#open.set(task.id, known);
    task.events$.subscribe({
      next: ({ commit }) => {
        known.updatedAt = commit.cause?.at ?? known.updatedAt;
        this.#mark(task.id);
      },
      complete: () => {
        if (this.#open.get(task.id) === known) this.#open.delete(task.id);
        this.#mark(task.id);
      },
    });
    task.breakpoints.held$.subscribe(() => this.#mark(task.id));
    this.#mark(task.id);
  }

  #mark(taskId: string): void {
    if (this.#listeners.size === 0) return;
    this.#changed.add(taskId);
    const { clock, bounds, onError } = this.#options;
    this.#forget ??= clock.after(bounds.cardsMs, () => {
      this.#tell()
        .catch(onError)
        .finally(() => {
          this.#forget = undefined;
          const [next] = this.#changed;
          if (next !== undefined) this.#mark(next);
        });
    });
  }

  async #tell(): Promise<void> {
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const taskId of changed) {
      const json = JSON.stringify(await this.#cardIfAny(taskId));
      if (json === undefined || this.#told.get(taskId) === json) continue;
      this.#told.set(taskId, json);
      for (const listener of this.#listeners) listener(taskId, json);
    }
  }

  /** One that was never begun leaves nothing behind. */
  async #cardIfAny(taskId: string): Promise<TaskCard | undefined> {
    try {
      return await this.card(taskId);
    } catch (error) {
      if (error instanceof TaskHistoryError && error.code === "TASK_UNKNOWN") return undefined;
      throw error;
    }
  }

  async #openCard(known: Known): Promise<TaskCard> {
    const { task } = known;
    // What has no row yet has nothing on disk.
    if (task.log.length > 0) known.origin ??= this.#readOrigin(task);
    return openCard(task, await (known.origin ?? this.#unread(task)), known.updatedAt);
  }

  async #readOrigin(task: Task): Promise<Origin> {
    try {
      return originOf(await this.#options.history.summary(task.id));
    } catch (error) {
      // A host whose journals are its own has them elsewhere.
      if (error instanceof TaskHistoryError && error.code === "TASK_UNKNOWN") return this.#unread(task);
      throw error;
    }
  }

  #unread({ workspace, parent, log }: Task): Origin {
    const createdAt = log.at(0)?.ts ?? this.#options.clock.now();
    return {
      title: (log.at(0)?.text ?? "").trimStart().split("\n", 1).join("").slice(0, TITLE_CHARS_MAX),
      createdAt,
      workspace,
      ...(parent !== undefined && { parentId: parent.taskId }),
    };
  }
}
