import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Metafile } from "esbuild";
import { CAMPAIGNS, type Campaign, PASSIVATED } from "./campaigns.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const RECORD = path.join(ROOT, "docs/generated/campaigns.txt");

/** All campaigns, with the second run of tests on tasks that are passivated. */
export const ALL_CAMPAIGNS: Readonly<Record<string, Campaign>> = { ...CAMPAIGNS, passivation: PASSIVATED };

/** Files that the result of each campaign depends on. */
const COMMON = ["package-lock.json", "test/support/seed.ts", "vitest.config.ts"];

/** The digest of all files on which the result of each campaign depends: what its tests and programs import, and read. */
export async function digests(campaigns = ALL_CAMPAIGNS): Promise<ReadonlyMap<string, string>> {
  const modules = Object.values(campaigns).flatMap(modulesOf);
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [...new Set(modules)],
    outdir: "unused",
    outbase: ".",
    write: false,
    bundle: true,
    metafile: true,
    packages: "external",
    loader: { ".svg": "file" },
    platform: "node",
    format: "esm",
    logLevel: "error",
  });
  const entries = Object.entries(campaigns).map(([name, campaign]): [string, string] => {
    const read = [...(campaign.reads ?? []), ...COMMON].flatMap(filesIn);
    return [name, digestOf([...importedBy(modulesOf(campaign), metafile), ...read])];
  });
  return new Map(entries);
}

const modulesOf = ({ tests, programs = [] }: Campaign): readonly string[] => [
  ...tests.flatMap(filesIn).filter((file) => file.endsWith(".test.ts")),
  ...programs,
];

/** The modules that are imported from some modules, directly or not, and these. */
function importedBy(modules: readonly string[], { inputs }: Metafile): ReadonlySet<string> {
  const found = new Set<string>();
  const follow = (file: string): void => {
    if (found.has(file)) return;
    found.add(file);
    for (const { path: imported, external } of inputs[file]?.imports ?? []) if (!external) follow(imported);
  };
  for (const file of modules) follow(file);
  return found;
}

function digestOf(files: readonly string[]): string {
  // What passed on one platform says nothing of another.
  const hash = createHash("sha256").update(
    `${process.platform} Node ${process.versions.node.split(".")[0]}\n`,
  );
  for (const file of [...new Set(files)].sort()) {
    const content = createHash("sha256")
      .update(readFileSync(path.join(ROOT, file)))
      .digest("hex");
    hash.update(`${file}\0${content}\n`);
  }
  return hash.digest("hex").slice(0, 16);
}

/** The files of a folder without generated ones, or the file itself. */
function filesIn(name: string): readonly string[] {
  const place = path.join(ROOT, name);
  if (!existsSync(place)) throw new Error(`Expected ${name}, which a campaign names, found no such file.`);
  if (!statSync(place).isDirectory()) return [name];
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)))
    .filter((file) => !/node_modules\/|^docs\/(generated|api)\//.test(file));
}

/** The digests with which campaigns passed, by their names. */
function recordedIn(file: string): ReadonlyMap<string, string> {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  return new Map(
    lines.flatMap((line) => {
      const [, digest, name] = /^([0-9a-f]{16}) (.+)$/.exec(line) ?? [];
      return digest === undefined || name === undefined ? [] : [[name, digest] as const];
    }),
  );
}

/** The names of the campaigns that passed with these digests. */
export function passedBefore(now: ReadonlyMap<string, string>, file = RECORD): readonly string[] {
  const before = recordedIn(file);
  return [...now].filter(([name, digest]) => before.get(name) === digest).map(([name]) => name);
}

/** Writes down with which digests campaigns passed. A campaign with `undefined` failed. */
export function record(results: ReadonlyMap<string, string | undefined>, file = RECORD): void {
  const lines = [...new Map([...recordedIn(file), ...results])].flatMap(([name, digest]) =>
    digest === undefined ? [] : [`${digest} ${name}`],
  );
  writeFileSync(file, [...HEADER, ...lines.sort(), ""].join("\n"));
}

const HEADER = [
  "The campaigns of the tests that passed, each with a digest of the files that it depends on (test/support/campaigns.ts).",
  "A campaign whose digest differs runs again in .ci/run. `npm run test:all` runs all, and renews this file.",
  "",
];
