import { readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** Folders without source: what is about it, and what is made of it. */
const OTHERS = new Set(["bench", "coverage", "dist", "docs", "examples", "node_modules", "test"]);

/** The top folders of the source. */
export const SOURCE_FOLDERS: readonly string[] = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && !OTHERS.has(entry.name))
  .map(({ name }) => name);

/** The TypeScript files below these folders, from the root, without what is built. */
export const filesIn = (folders: readonly string[]): readonly string[] =>
  folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.tsx?$/.test(file) && !/^dist[/\\]/.test(file))
      .map((file) => path.posix.join(folder, file.split(path.sep).join("/"))),
  );
