import { applyLogEvent, emptyLog, type Log, type LogEvent } from "../../machines/message/log.ts";
import type { TaskEmitted, TaskEvent } from "../../machines/task/task.events.ts";
import type { TaskActor, TaskSnapshot } from "../../store/gate/task-actor.ts";

/** A fake task actor: each commit appends one message. */
export class CommitSource implements TaskActor<TaskSnapshot> {
  readonly #text: string;
  #log: Log = emptyLog;
  #ts = 0;
  #emit: (event: TaskEmitted) => void = () => {};
  #next: (snapshot: TaskSnapshot) => void = () => {};

  constructor(text: string) {
    this.#text = text;
  }

  on(_: "*", listener: (event: TaskEmitted) => void) {
    this.#emit = listener;
    return { unsubscribe: () => {} };
  }

  subscribe(observer: { readonly next: (snapshot: TaskSnapshot) => void }) {
    this.#next = observer.next;
    return { unsubscribe: () => {} };
  }

  send(): void {}

  commit(): void {
    this.#ts += 1;
    const ts = this.#ts;
    const event: LogEvent = {
      type: "message.appended",
      message: { ts, type: "say", say: "text", text: this.#text },
    };
    this.#log = applyLogEvent(this.#log, event);
    this.#emit(event);
    const cause: TaskEvent = { type: "llm.text.end", requestId: 1, index: 0, at: ts };
    this.#next({ value: { streaming: "receiving" }, context: { cause, log: this.#log } });
  }
}
