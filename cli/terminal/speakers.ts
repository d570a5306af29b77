import type { ModelText, TextOutput } from "./text-output.ts";

/** The screen of the tasks, and how each is named on it. */
export interface SpeakersOptions<T> {
  readonly output: TextOutput;
  /** Shows streamed text in the output. */
  readonly modelText: ModelText;
  /** The line above the output of a task that follows the output of another one. */
  readonly heading: (task: T) => string;
  /** The beginning of a transient line of the task while others work. */
  readonly name: (task: T) => string;
  /** Whether no other task works. */
  readonly isAlone: (task: T) => boolean;
}

/**
 * Shows the output of tasks that work at the same time. The text of a task that works alone is streamed. Of several tasks, each
 * message is shown once it is complete. A heading names the task wherever it changes.
 */
export class Speakers<T> {
  readonly #options: SpeakersOptions<T>;
  /** The task whose output is the last one on the screen. */
  #last: Speaker | undefined;
  /** The task whose text is being streamed: the others wait for its end. */
  #floor: Speaker | undefined;
  readonly #waiting = new Set<Speaker>();

  constructor(options: SpeakersOptions<T>) {
    this.#options = options;
  }

  open(task: T): Speaker {
    const { output, modelText, isAlone, name } = this.#options;
    const speaker: Speaker = new Speaker(
      { output, modelText, label: () => (isAlone(task) ? "" : `${name(task)} `) },
      () => this.#show(speaker, task),
    );
    this.#last ??= speaker;
    return speaker;
  }

  /** Whether the output of this task is the last one on the screen. */
  isLast(speaker: Speaker): boolean {
    return this.#last === speaker;
  }

  #show(speaker: Speaker, task: T): void {
    const isHeld = this.#floor !== undefined && this.#floor !== speaker;
    if (isHeld || !(speaker.isWhole || this.#options.isAlone(task))) {
      this.#waiting.add(speaker);
      return;
    }
    this.#waiting.delete(speaker);
    for (const part of speaker.take()) this.#showPart(speaker, task, part);
    this.#floor = speaker.isStreaming ? speaker : undefined;
    if (this.#floor === undefined) for (const other of [...this.#waiting]) other.finish();
  }

  #showPart(speaker: Speaker, task: T, { kind, show }: Part): void {
    const isOther = this.#last !== speaker;
    // A heading separates well enough.
    if (kind === "blank" && isOther) return;
    if (kind === "text" && isOther) this.#options.output.line(this.#options.heading(task));
    if (kind !== "step") this.#last = speaker;
    show();
  }
}

/** A part of a task's output. A step shows nothing of its own. */
interface Part {
  readonly kind: "text" | "blank" | "heading" | "step";
  readonly show: () => void;
}

interface Screen {
  readonly output: TextOutput;
  readonly modelText: ModelText;
  readonly label: () => string;
}

/** The output of one task. */
export class Speaker implements TextOutput {
  readonly #screen: Screen;
  readonly #said: () => void;
  #parts: Part[] = [];
  #isInLine = false;
  #isWhole = true;
  #isStreaming = false;
  readonly modelText: ModelText;

  /** @param said called when there is more to show */
  constructor(screen: Screen, said: () => void) {
    this.#screen = screen;
    this.#said = said;
    this.modelText = {
      grow: (text) => {
        this.#isStreaming = true;
        this.#say(() => screen.modelText.grow(text), false);
      },
      end: () => this.#say(() => screen.modelText.end()),
    };
  }

  /** Whether no message is incomplete. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Whether a text of the model is incomplete. */
  get isStreaming(): boolean {
    return this.#isStreaming;
  }

  get isInLine(): boolean {
    return this.#isInLine;
  }

  write(text: string): void {
    if (text === "") return;
    this.#isInLine = !text.endsWith("\n");
    this.#say(() => this.#screen.output.write(text), false);
  }

  line(text: string): void {
    this.#isInLine = false;
    this.#say(() => this.#screen.output.line(text), true, text === "" ? "blank" : "text");
  }

  freshLine(): void {
    if (this.#isWhole && !this.#isInLine) return;
    this.#isInLine = false;
    this.#say(() => this.#screen.output.freshLine());
  }

  /** Show a line that names the task whose output follows. */
  heading(text: string): void {
    this.#isInLine = false;
    this.#say(() => this.#screen.output.line(text), true, "heading");
  }

  /** Run a step once everything before it is shown. */
  afterwards(step: () => void): void {
    this.#parts.push({ kind: "step", show: step });
    this.#said();
  }

  transient(text: string): void {
    this.#screen.output.transient(text === "" ? "" : `${this.#screen.label()}${text}`);
  }

  /** Show the rest of the output. */
  finish(): void {
    if (this.#parts.length > 0) this.#said();
  }

  /** The task rests or is closed: a message that is incomplete stays so. */
  rest(): void {
    if (!this.#isWhole) this.freshLine();
  }

  /** Take the parts that are to be shown. */
  take(): readonly Part[] {
    return this.#parts.splice(0);
  }

  #say(show: () => void, isEnd = true, kind: Part["kind"] = "text"): void {
    this.#isWhole = isEnd;
    if (isEnd) this.#isStreaming = false;
    this.#parts.push({ kind, show });
    this.#said();
  }
}
