import path from "node:path";
import type { Call } from "./call.ts";
import type { Left } from "./left-out.ts";
import { type BytePath, shown, toZeroEnded, zeroEnded } from "./paths.ts";
import { Refusal } from "./refused.ts";

const ZERO = 0;

/**
 * The files of the workspace that a checkpoint has: all but `.git` and what the `.gitignore` files say, from the
 * workspace down. A repository within is walked like any folder: git itself would keep no more of it than the name
 * of its commit.
 */
export async function listFiles(
  call: Call,
): Promise<{ readonly files: readonly BytePath[]; readonly leftOut: readonly Left[] }> {
  const files: BytePath[] = [];
  const leftOut: Left[] = [];
  const repositories: BytePath[] = [""];
  for (const inside of repositories) {
    const { found, unread } = await listOne(call, inside, files.length);
    leftOut.push(...unread);
    for (const file of inside === "" ? found : await notIgnored(call, found)) {
      if (file.endsWith("/")) repositories.push(file);
      else files.push(file);
    }
  }
  return { files, leftOut };
}

async function listOne(
  { git, store, limits, folder }: Call,
  inside: BytePath,
  already: number,
): Promise<{ readonly found: readonly BytePath[]; readonly unread: readonly Left[] }> {
  let count = already;
  const { out, err } = await git(["ls-files", "-z", "--others", "--exclude-standard"], {
    workTree: path.join(store.workspace, shown(inside)),
    // Without an index every file counts as new: so one that the rules leave out by now is left out.
    index: path.join(folder, "none"),
    enough: (piece) => {
      for (const byte of piece) if (byte === ZERO) count += 1;
      return count > limits.maxFiles;
    },
  });
  if (count > limits.maxFiles)
    throw new Refusal(
      "files",
      `the workspace has more than ${limits.maxFiles} files (maxFiles). Let .gitignore leave out what needs no checkpoint, or raise the limit.`,
    );
  const found = zeroEnded(out).map((file) => inside + file);
  return { found: found.filter((file) => !isClosed(store.closed, file)), unread: unreadIn(err, inside) };
}

const isClosed = (closed: readonly BytePath[], file: BytePath): boolean =>
  closed.some((folder) => file === folder || file.startsWith(`${folder}/`));

/** Those that the rules of the workspace as a whole don't leave out, in the same order. */
async function notIgnored(call: Call, files: readonly BytePath[]): Promise<readonly BytePath[]> {
  const ignored = await ignoredOf(call, files, call.store.workspace);
  return files.filter((file) => !ignored.has(file));
}

/** Which of these paths the rules of the `.gitignore` files under a folder leave out. */
export async function ignoredOf(
  { git, folder }: Call,
  files: readonly BytePath[],
  workTree: string,
): Promise<ReadonlySet<BytePath>> {
  if (files.length === 0) return new Set();
  const { out } = await git(["check-ignore", "-z", "--no-index", "--stdin"], {
    workTree,
    index: path.join(folder, "none"),
    // It takes patterns; a path that begins like this is none, whatever its name.
    input: toZeroEnded(files.map((file) => `./${file}`)),
    answers: [1],
  });
  return new Set(zeroEnded(out).map((file) => file.slice(2)));
}

function unreadIn(err: string, inside: BytePath): Left[] {
  const lines = err.matchAll(/could not open directory '(.*?)\/?':/g);
  return [...lines].map(([, name = ""]) => ({
    file: inside + name,
    why: "it can't be read",
  }));
}
