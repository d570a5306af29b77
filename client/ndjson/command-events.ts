import type { ClineMessage } from "../../machines/message/index.ts";
import type { JsonEvent } from "../../wire/index.ts";
import { changeOf } from "./delta.ts";
import type { Line } from "./line.ts";

/** A command whose output is told. */
interface Running {
  /** The `ts` of the ask that it was run under: every event of its output has it. */
  readonly id: number;
  readonly callId: string | undefined;
  /** The `ts` of the ask about its output, once there is one. */
  askId: number | undefined;
  text: string;
  /** Its output comes beside the rows: then the rows don't tell it. */
  isDriven: boolean;
  /** It was left to go on beside the agent: no row tells of it any more. */
  isLeft: boolean;
  /** As the end was told beside the rows. */
  exitCode: number | undefined;
}

/** Tells what commands write, and how they end. */
export class CommandEvents {
  readonly #tell: (line: Line) => void;
  readonly #running = new Map<number, Running>();
  readonly #asks = new Map<string | undefined, number>();
  readonly #ended = new Set<number>();
  /** Whether it is told what commands write that were left to go on. */
  #hearsBeside = false;

  constructor(tell: (line: Line) => void) {
    this.#tell = tell;
  }

  /** Whether the row is one of a command's output. */
  row(row: ClineMessage): boolean {
    if (row.ask === "command") this.#asks.set(row.callId, row.ts);
    if (row.ask === "command_output") this.#askedAbout(row);
    else if (row.say === "command_output") this.#said(row);
    else {
      // It was left to go on beside the agent: its output makes no rows any more.
      if (row.say === "tool" && row.callId !== undefined) this.#leave(row.callId);
      return false;
    }
    return true;
  }

  grown(ts: number, suffix: string): boolean {
    for (const command of this.#running.values()) {
      if (command.askId !== ts) continue;
      this.#put(command, command.text + suffix, { kind: "growth", delta: suffix });
      return true;
    }
    return false;
  }

  /** What the command that was run under `id` wrote, beside the rows. */
  chunk(id: number, text: string): void {
    if (this.#ended.has(id)) return;
    const command = this.#commandOf(id, undefined);
    command.isDriven = true;
    if (text !== "") this.#show(command, command.text + text, { kind: "growth", delta: text });
  }

  /** It has ended, as is told beside the rows. False where that is known already. */
  exited(id: number, exitCode: number | undefined): boolean {
    if (this.#ended.has(id)) return false;
    this.#commandOf(id, undefined).exitCode = exitCode;
    return true;
  }

  /** No last row will come: what is known is told. */
  settle(id: number): void {
    const command = this.#running.get(id);
    if (command !== undefined) this.#end(command, command.text, command.exitCode);
  }

  /** What commands write that were left to go on will be told, and their end. */
  expectBeside(): void {
    this.#hearsBeside = true;
  }

  /** A command that runs already. */
  known(id: number, callId: string, isLeft: boolean): void {
    this.#asks.set(callId, id);
    if (isLeft) this.#commandOf(id, callId).isLeft = true;
  }

  /** What the command that was run under `id` wrote, if it was left to go on: until then its rows tell it. */
  besideWrote(id: number, text: string): void {
    const command = this.#leftOf(id);
    if (command !== undefined && text !== "")
      this.#show(command, command.text + text, { kind: "growth", delta: text });
  }

  /** It has ended, if it was left to go on. */
  besideEnded(id: number, exitCode: number | undefined): void {
    const command = this.#leftOf(id);
    if (command !== undefined) this.#end(command, command.text, exitCode);
  }

  #leftOf(id: number): Running | undefined {
    const command = this.#running.get(id);
    return command?.isLeft === true ? command : undefined;
  }

  #askedAbout(row: ClineMessage): void {
    const id = this.#idOf(row);
    if (this.#ended.has(id)) return;
    const isNew = this.#running.get(id)?.askId === undefined;
    const command = this.#commandOf(id, row.callId);
    command.askId = row.ts;
    this.#update(command, row.text ?? "");
    if (isNew && command.text === "" && row.closing === undefined)
      this.#tell({ event: outputOf(command), isPart: true });
    if (row.closing === "withdrawn") this.#end(command, command.text, command.exitCode);
  }

  #said(row: ClineMessage): void {
    const id = this.#idOf(row);
    if (this.#ended.has(id)) return;
    const command = this.#commandOf(id, row.callId);
    if (row.partial === true) this.#update(command, row.text ?? "");
    else this.#end(command, row.text ?? "", row.exitCode ?? command.exitCode);
  }

  #leave(callId: string): void {
    for (const command of this.#running.values()) {
      if (command.callId !== callId) continue;
      if (this.#hearsBeside || command.isDriven) command.isLeft = true;
      // Nobody will tell when it ends.
      else this.#end(command, command.text, undefined);
    }
  }

  #update(command: Running, text: string): void {
    const change = changeOf(command.text, text);
    if (change.delta !== "") this.#put(command, text, change);
  }

  #put(command: Running, after: string, change: ReturnType<typeof changeOf>): void {
    if (!command.isDriven) this.#show(command, after, change);
  }

  #show(command: Running, after: string, change: ReturnType<typeof changeOf>): void {
    const before = command.text;
    command.text = after;
    this.#tell({ of: command, before, after, change, make: (output) => outputOf(command, output) });
  }

  #end(command: Running, output: string, exitCode: number | undefined): void {
    this.#running.delete(command.id);
    this.#asks.delete(command.callId);
    this.#ended.add(command.id);
    const { askId: _ask, ...event } = outputOf(command, output);
    const result = { name: "execute_command", output, ...(exitCode !== undefined && { exitCode }) };
    this.#tell({ event: { ...event, tool_result: result, done: true } });
  }

  /** The ask that the command was run under; of a foreign log that has none, the first row of its output. */
  #idOf({ callId, ts }: ClineMessage): number {
    const asked = this.#asks.get(callId);
    if (asked !== undefined) return asked;
    for (const command of this.#running.values()) if (command.callId === callId) return command.id;
    return ts;
  }

  #commandOf(id: number, callId: string | undefined): Running {
    const known = this.#running.get(id);
    if (known !== undefined) return known;
    const command: Running = {
      id,
      callId,
      askId: undefined,
      text: "",
      isDriven: false,
      isLeft: false,
      exitCode: undefined,
    };
    this.#running.set(id, command);
    return command;
  }
}

function outputOf({ id, askId }: Running, output?: string): JsonEvent {
  return {
    type: "tool_result",
    subtype: "command",
    id,
    ...(askId !== undefined && { askId }),
    tool_result: { name: "execute_command", ...(output !== undefined && { output }) },
  };
}
