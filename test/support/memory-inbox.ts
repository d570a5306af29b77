import type { CommandOutcome, Inbox, InboxItem, Refusal } from "../../ports/inbox.ts";
import type { InboxCommandInput } from "../../wire/inbox.ts";

type Listener = Parameters<Inbox["watch"]>[0];

/** An inbox of one process. Its operations fail, and its notifications are lost, when a test says so. */
export class MemoryInbox implements Inbox {
  readonly rows: (InboxItem & { readonly id: string; readonly pool?: string })[] = [];
  /** The positions up to which rows were removed, one for each call. */
  readonly removals: number[] = [];
  readonly refusals: (Refusal & { readonly position: number })[] = [];
  /** Called before each operation. A rejection is its failure. */
  before: (operation: "after" | "remove") => Promise<void> = async () => {};
  isNotifying = true;
  readonly #listeners = new Set<Listener>();
  #last = 0;

  async put(taskId: string, id: string, command: unknown, pool?: string): Promise<number> {
    const known = this.rows.find((row) => row.taskId === taskId && row.id === id);
    if (known !== undefined) return known.position;
    this.#last += 1;
    const chosen = pool === undefined ? {} : { pool };
    this.rows.push({ taskId, id, position: this.#last, command: structuredClone(command), ...chosen });
    if (this.isNotifying) for (const listener of this.#listeners) listener.onAdded(taskId);
    return this.#last;
  }

  /** Put a command with an id of its own. */
  send(taskId: string, command: InboxCommandInput): Promise<number> {
    return this.put(taskId, `command-${this.#last + 1}`, command);
  }

  async after(taskId: string, position: number): Promise<readonly InboxItem[]> {
    const found = this.rows.filter((row) => row.taskId === taskId && row.position > position);
    await this.before("after");
    return found;
  }

  async remove(taskId: string, upTo: number): Promise<void> {
    await this.before("remove");
    this.removals.push(upTo);
    for (const row of this.rows.filter((each) => each.taskId === taskId && each.position <= upTo))
      this.rows.splice(this.rows.indexOf(row), 1);
  }

  async refuse(taskId: string, position: number, refusal: Refusal): Promise<void> {
    this.refusals.push({ position, ...refusal });
    this.rows.splice(
      this.rows.findIndex((row) => row.taskId === taskId && row.position === position),
      1,
    );
  }

  async outcome(taskId: string, position: number): Promise<CommandOutcome | undefined> {
    return this.rows.some((row) => row.taskId === taskId && row.position === position) ? undefined : {};
  }

  watch(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Notify of a gap. */
  gap(): void {
    for (const listener of this.#listeners) listener.onGap();
  }

  get listeners(): number {
    return this.#listeners.size;
  }
}
