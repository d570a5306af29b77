import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Metafile } from "esbuild";
import { CAMPAIGNS, type Campaign, ISOLATED, PASSIVATED } from "./campaigns.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const RECORD = path.join(ROOT, "docs/generated/campaigns.txt");

/** All campaigns, with the second run of tests on tasks that are passivated. */
export const ALL_CAMPAIGNS: Readonly<Record<string, Campaign>> = { ...CAMPAIGNS, passivation: PASSIVATED };

/** Files that the result of each campaign depends on. */
const COMMON = ["package.json", "package-lock.json", "vitest.config.ts", "test/fixtures", "test/support"];

/** The test files of a campaign. */
export const testsOf = ({ tests, except = [] }: Campaign): readonly string[] => {
  const others = [...ISOLATED, ...except];
  const isOther = (file: string): boolean =>
    others.some((path) => file === path || (path.endsWith("/") && file.startsWith(path)));
  return tests.flatMap(filesIn).filter((file) => file.endsWith(".test.ts") && !isOther(file));
};

/**
 * The digest of all files on which the result of each campaign depends: the modules that its tests and programs import, the
 * folders of its tests, and what else they read.
 */
export async function digests(campaigns = ALL_CAMPAIGNS): Promise<ReadonlyMap<string, string>> {
  const modules = Object.values(campaigns).flatMap(modulesOf);
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [...new Set(modules)],
    outdir: "unused",
    outbase: ".",
    write: false,
    bundle: true,
    splitting: true,
    metafile: true,
    packages: "external",
    loader: { ".svg": "file" },
    platform: "node",
    format: "esm",
    logLevel: "error",
  });
  const entries = Object.entries(campaigns).map(([name, campaign]): [string, string] => {
    const folders = testsOf(campaign).map((file) => path.dirname(file));
    const read = [...new Set([...folders, ...(campaign.reads ?? []), ...COMMON])].flatMap(filesIn);
    return [name, digestOf([...importedBy(modulesOf(campaign), metafile), ...read])];
  });
  return new Map(entries);
}

const modulesOf = (campaign: Campaign): readonly string[] => [
  ...testsOf(campaign),
  ...(campaign.programs ?? []),
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
    .filter((file) => !/node_modules\/|^docs\/(generated|api|\.vitepress\/(cache|dist))\//.test(file));
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

/** A test file that ran. */
export interface RanFile {
  readonly file: string;
  /** Whether its tasks were passivated. */
  readonly isPassive: boolean;
  /** Whether a test of it passed and none failed. */
  readonly hasPassed: boolean;
}

/**
 * The digest of each campaign that ran and passed; undefined for one with a file that did not run or pass, and for one whose
 * result counts for no later run.
 */
export function resultsOf(
  ran: readonly RanFile[],
  now: ReadonlyMap<string, string>,
  campaigns = ALL_CAMPAIGNS,
): ReadonlyMap<string, string | undefined> {
  const results = new Map<string, string | undefined>();
  for (const [name, campaign] of Object.entries(campaigns)) {
    const isPassive = campaign === PASSIVATED;
    const files = ran.filter((each) => each.isPassive === isPassive);
    const own = testsOf(campaign).map((test) => files.find(({ file }) => file === test));
    if (own.every((file) => file === undefined)) continue;
    const hasPassed = own.every((file) => file?.hasPassed === true) && campaign.needsRegistry !== true;
    results.set(name, hasPassed ? now.get(name) : undefined);
  }
  return results;
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
