/**
 * `npm start`: the real command repairs a small project, with a script in place of the model. It needs no key
 * and no network. Another build of the command can be named: `tsx examples/demo.ts cli/bin.ts`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const examples = path.dirname(fileURLToPath(import.meta.url));
const bin = path.resolve(process.argv[2] ?? path.join(examples, "../dist/cli/bin.js"));
const node = bin.endsWith(".ts") ? ["--import", "tsx"] : [];
const signalbox = `node ${[...node, path.relative(process.cwd(), bin)].join(" ")}`;

const home = await mkdtemp(path.join(tmpdir(), "signalbox-demo-"));
const project = path.join(home, "failing-test");
await cp(path.join(examples, "failing-test"), project, { recursive: true });

const prompt = "Make the tests pass";
const where = ["--workspace", project, "--data-dir", path.join(home, "data")];
const mock = ["--provider", "mock", "--script", path.join(examples, "demo.script.yaml")];

console.log(`A project with a failing test lies in ${project}`);
console.log("A script plays the model; everything else is real: the HTTP stream, the edit, the commands.\n");

const child = spawn(process.execPath, [...node, bin, "run", ...mock, ...where, "--yes", "--oneshot", prompt], {
  stdio: "inherit",
});
// Ctrl-C is for the command: it ends the demo with its own code.
process.on("SIGINT", () => {});
const [code] = await once(child, "exit");

const script = "--provider mock --script examples/demo.script.yaml";
console.log(`
The project with its change is in ${project}
Say yes or no yourself:   cp -r examples/failing-test /tmp/try && ${signalbox} run ${script} -w /tmp/try "${prompt}"
Run it on a live model:   export ANTHROPIC_API_KEY=... and leave out ${script}`);
process.exitCode = code ?? 1;
