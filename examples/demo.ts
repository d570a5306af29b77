/**
 * `npm start`: the real command fixes a small project, with a script in place of the model. It needs no key and no
 * network. Another build of the command can be named: `tsx examples/demo.ts cli/dist/bin.js`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const examples = path.dirname(fileURLToPath(import.meta.url));
const bin = path.resolve(process.argv[2] ?? path.join(examples, "../cli/npm/signalbox.js"));

const home = await mkdtemp(path.join(tmpdir(), "signalbox-demo-"));
const project = path.join(home, "failing-test");
await cp(path.join(examples, "failing-test"), project, { recursive: true });

const prompt = "Make the tests pass";
const folders = ["--workspace", project, "--data-dir", path.join(home, "data")];
const mock = ["--provider", "mock", "--script", path.join(examples, "demo.script.yaml")];

console.log(`Project with a failing test: ${project}`);
console.log("The model is a script. The HTTP stream, the edit and the commands are real.\n");

const child = spawn(process.execPath, [bin, "run", ...mock, ...folders, "--yes", "--oneshot", "--verbose", prompt], {
  stdio: "inherit",
});
// Ctrl-C goes to the command, which ends the demo with its own exit code.
process.on("SIGINT", () => {});
const [code] = await once(child, "exit");

const script = "--provider mock --script examples/demo.script.yaml";
console.log(`
The changed project: ${project}
Approve each step yourself: cp -r examples/failing-test /tmp/try && npx signalbox run ${script} -w /tmp/try "${prompt}"
Run it on a live model:     export ANTHROPIC_API_KEY=... and leave out ${script}`);
process.exitCode = code ?? 1;
