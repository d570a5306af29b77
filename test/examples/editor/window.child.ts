import type { Input } from "./process-message.ts";
import type * as Stub from "./vscode.ts";

/** A window of an editor: it activates the extension, shows its view, and does what the test asks for. */

const { context, given, user }: typeof Stub = require("vscode");
const extension: {
  activate(given: typeof context): Promise<void>;
  deactivate(): Promise<void>;
} = require(given.extension);

async function receive(input: Input): Promise<void> {
  if (input.type === "webview") user.postMessage(input.message);
  else if (input.type === "command") await user.run(input.name);
  else {
    await extension.deactivate();
    process.disconnect();
  }
}

async function open(): Promise<void> {
  for (const [name, text] of Object.entries(given.unsaved)) await user.change(name, text);
  await extension.activate(context);
  user.showView();
  process.on("message", (input: Input) => void receive(input));
}

void open();
