import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { checkPackage, Package } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { VERSION } from "../../wire/version.ts";
import { doors } from "../examples-in-docs/program.ts";

/** The packages: their folders, and their greatest sizes, unpacked. */
const PACKAGES = [
  { name: "signalbox", folder: ".", files: 780, bytes: 5_500_000 },
  { name: "@signalbox/cli", folder: "cli", files: 360, bytes: 7_700_000 },
  { name: "@signalbox/debugger", folder: "visualize", files: 78, bytes: 3_300_000 },
  { name: "@signalbox/cluster", folder: "cluster", files: 20, bytes: 100_000 },
] as const;
/** Packages that only the command or the page needs. They are not installed with the engine. */
const NOT_OF_THE_ENGINE = [
  "@agentclientprotocol/sdk",
  "@observablehq/plot",
  "commander",
  "elkjs",
  "marked",
  "react",
  "refractor",
];
const SLOW_MS = 300_000;

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Packed {
  readonly filename: string;
  readonly version: string;
  readonly unpackedSize: number;
  readonly entryCount: number;
  readonly files: readonly { readonly path: string }[];
}

/** A project with the packed packages and their dependencies installed. */
const project = path.join(folder, "project");
const installedIn = (name: string): string => path.join(project, "node_modules", name);

/** Pack a package, and install it in the project. */
function pack({ name, folder: source }: (typeof PACKAGES)[number]): Packed {
  const output = execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
    cwd: path.join(root, source),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const packed: Packed = JSON.parse(output)[0];
  mkdirSync(installedIn(name), { recursive: true });
  const tarball = path.join(folder, packed.filename);
  execFileSync("tar", ["-xzf", tarball, "-C", installedIn(name), "--strip-components=1"]);
  return packed;
}

const tarballs = new Map<string, Packed>();
const packedAs = (name: string): Packed => {
  const packed = tarballs.get(name);
  if (packed === undefined) throw new Error(`Expected ${name} to be packed before the tests.`);
  return packed;
};

beforeAll(() => {
  mkdirSync(path.join(project, "node_modules"), { recursive: true });
  for (const name of readdirSync(path.join(root, "node_modules")))
    if (!name.startsWith(".") && !name.startsWith("@signalbox") && name !== "signalbox")
      symlinkSync(path.join(root, "node_modules", name), path.join(project, "node_modules", name));
  for (const each of PACKAGES) tarballs.set(each.name, pack(each));
}, SLOW_MS);

describe.each(PACKAGES)("the tarball of $name", ({ name, files, bytes }) => {
  test(`has at most ${files} files and ${bytes / 1e6} MB, a license, and no maps`, () => {
    const packed = packedAs(name);
    console.log(`${name}: ${packed.entryCount} files, ${(packed.unpackedSize / 1e6).toFixed(2)} MB`);
    expect(packed.entryCount).toBeLessThanOrEqual(files);
    expect(packed.unpackedSize).toBeLessThanOrEqual(bytes);
    const paths = packed.files.map((file) => file.path);
    expect(paths).toContain("LICENSE");
    expect(paths.filter((file) => file.endsWith(".map"))).toEqual([]);
  });

  test(
    "passes publint",
    async () => {
      const { messages, pkg } = await publint({ pkgDir: installedIn(name), pack: false });
      expect(messages.map((message) => formatMessage(message, pkg ?? {}))).toEqual([]);
    },
    SLOW_MS,
  );

  test("installs without a script", () => {
    const { scripts } = JSON.parse(readFileSync(path.join(installedIn(name), "package.json"), "utf8"));
    for (const script of ["preinstall", "install", "postinstall", "prepare"])
      expect(scripts).not.toHaveProperty(script);
  });
});

describe.each(["signalbox", "@signalbox/debugger"])("the types of %s", (name) => {
  test(
    "pass are-the-types-wrong, as a package of ES modules",
    async () => {
      const { types, problems } = await checked(name);
      expect(types).toBeTruthy();
      // `node10` knows no `exports`; a CommonJS program loads ES modules with `import()`.
      const real = problems.filter(
        (problem) => !("resolutionKind" in problem) || !/^node10$|^node16-cjs$/.test(problem.resolutionKind),
      );
      expect(real).toEqual([]);
    },
    SLOW_MS,
  );
});

async function checked(name: string) {
  const { files, version } = packedAs(name);
  const contents = files.map((file) => [
    `/node_modules/${name}/${file.path}`,
    new Uint8Array(readFileSync(path.join(installedIn(name), file.path))),
  ]);
  const result = await checkPackage(new Package(Object.fromEntries(contents), name, version), {
    excludeEntrypoints: ["./page.css", "./package.json"],
  });
  return "problems" in result ? result : { ...result, problems: [] };
}

test("the tarball of the engine has the examples, no page, and no built site", () => {
  const files = packedAs("signalbox").files.map((file) => file.path);
  expect(files.some((file) => file.startsWith("examples/"))).toBe(true);
  expect(
    files.filter((file) =>
      /^dist\/page\/|^docs\/(?:\.vitepress|api)\/|^(?:cli|cluster|visualize)\//.test(file),
    ),
  ).toEqual([]);
});

test("the engine depends on nothing that only the command or the page needs", () => {
  const { dependencies } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  for (const name of NOT_OF_THE_ENGINE) expect(dependencies).not.toHaveProperty(name);
});

test("the debugger has the page once", () => {
  const files = packedAs("@signalbox/debugger").files.map((file) => file.path);
  expect(files.filter((file) => /^dist\/page\/[^/]*\.js$/.test(file))).toEqual([
    "dist/page/embed-layout.js",
    "dist/page/embed-markdown.js",
    "dist/page/embed-share.js",
    "dist/page/embed-transcripts.js",
    "dist/page/embed.js",
  ]);
});

test("the command of the engine alone names the package that has it", () => {
  const alone = path.join(folder, "alone/node_modules/signalbox");
  mkdirSync(path.dirname(alone), { recursive: true });
  cpSync(installedIn("signalbox"), alone, { recursive: true });
  const { status, stderr } = spawnSync(process.execPath, [path.join(alone, "signalbox.js"), "run"], {
    encoding: "utf8",
  });
  expect(stderr).toContain("npm install @signalbox/cli");
  expect(status).toBe(1);
});

test("the command of the engine runs the command that is installed beside it", () => {
  const bin = path.join(installedIn("signalbox"), "signalbox.js");
  const { stdout, status } = spawnSync(process.execPath, [bin, "--version"], { encoding: "utf8" });
  expect({ stdout, status }).toEqual({ stdout: `${VERSION}\n`, status: 0 });
});

test("the packages and the source have one version", () => {
  expect(PACKAGES.map(({ name }) => packedAs(name).version)).toEqual([VERSION, VERSION, VERSION, VERSION]);
  const { dependencies } = JSON.parse(readFileSync(path.join(root, "cli/package.json"), "utf8"));
  expect(dependencies["@signalbox/debugger"]).toBe(VERSION);
});

describe.each(["5.4.5", "5.9.3", "6.0.3"])("its types under TypeScript %s", (version) => {
  test.each(["nodenext", "bundler"])(
    "compile with %s, without skipLibCheck",
    (resolution) => {
      const from = [...doors.keys()].map(
        (name, index) => `import * as entry${index} from "${name}"; entry${index};`,
      );
      writeFileSync(path.join(project, "main.ts"), `${from.join("\n")}\n`);
      writeFileSync(path.join(project, "package.json"), `{ "type": "module" }`);
      writeFileSync(
        path.join(project, "tsconfig.json"),
        JSON.stringify({
          compilerOptions: {
            target: "es2022",
            lib: ["es2023", "dom", "dom.iterable"],
            module: resolution === "bundler" ? "esnext" : "nodenext",
            moduleResolution: resolution,
            strict: true,
            skipLibCheck: false,
            noEmit: true,
            types: ["node"],
          },
          files: ["main.ts"],
        }),
      );
      const { status, stdout, stderr } = spawnSync(
        "npx",
        ["--yes", "--package", `typescript@${version}`, "tsc", "-p", project],
        { cwd: folder, encoding: "utf8" },
      );
      expect({ status, output: stdout.split("\n").slice(0, 20).join("\n") }, stderr).toEqual({
        status: 0,
        output: "",
      });
    },
    SLOW_MS,
  );
});
