import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { ExtensionClient } from "../../../client/index.ts";
import type { Input, Output, Window } from "./process-message.ts";

/** A window of the stub of an editor, which runs the built extension in a process. */
export class ExtensionProcess {
  /** The client of the view. */
  readonly client = new ExtensionClient({
    sendMessage: (message) => this.send({ type: "webview", message }),
  });
  /** All that the window did, apart from messages to the view. */
  readonly outputs: Exclude<Output, { type: "webview" }>[] = [];
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown[]>;

  constructor(window: Window, onMessage?: (message: unknown) => void) {
    this.#child = fork(path.join(window.extension, "window.cjs"), [JSON.stringify(window)], { execArgv: [] });
    this.#exit = once(this.#child, "exit");
    this.#child.on("message", (output: Output) => {
      if (output.type !== "webview") this.outputs.push(output);
      else if (onMessage === undefined) this.client.handleMessage(output.message);
      else onMessage(output.message);
    });
  }

  send(input: Input): void {
    this.#child.send(input);
  }

  /** The HTML of the view, once it is shown. */
  async page(): Promise<string> {
    const shown = this.outputs.find(({ type }) => type === "page");
    if (shown?.type === "page") return shown.html;
    await once(this.#child, "message");
    return this.page();
  }

  /** Ends it as a window ends. Returns the exit code. */
  async deactivate(): Promise<unknown> {
    this.send({ type: "deactivate" });
    return (await this.#exit)[0];
  }

  /** Ends it as a crash does. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#exit;
  }
}
