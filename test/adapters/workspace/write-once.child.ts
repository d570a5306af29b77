import { openWorkspace } from "../../../adapters/workspace/workspace.ts";

// A child process, perhaps of a plain user: writes or removes a file once, and prints the code and the message of the error.
const [root = "", name = "", content] = process.argv.slice(2);
try {
  const workspace = await openWorkspace(root);
  if (content === undefined) await workspace.remove(name);
  else await workspace.write(name, content);
  process.stdout.write("written");
} catch (error) {
  const code = error instanceof Error && "code" in error ? error.code : "";
  process.stdout.write(`${String(code)} ${String(error)}`);
}
