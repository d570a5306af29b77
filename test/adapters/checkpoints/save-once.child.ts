import { checkpointsOf, done } from "./tree.ts";

// A process of its own: saves the workspace once and says the checkpoint's name.
const [workspace = "", dataDir = ""] = process.argv.slice(2);
const checkpoints = await checkpointsOf({ workspace, dataDir, remove: () => {} });
process.stdout.write(`${done(await checkpoints.save()).hash}\n`);
