import { checkpointsOf, done } from "./tree.ts";

// A child process: saves the workspace once and prints the hash.
const [workspace = "", dataDir = ""] = process.argv.slice(2);
const checkpoints = await checkpointsOf({ workspace, dataDir, remove: () => {} });
process.stdout.write(`${done(await checkpoints.save()).hash}\n`);
