/** The completion of a line by Tab. */
export interface Completion {
  /** The end of the line that is completed. */
  readonly word: string;
  /** The texts that it can become. */
  readonly candidates: readonly string[];
}

/** A slash command, as far as it can be completed. */
export interface CompletableCommand {
  readonly name: string;
  /** Its arguments. Absent: any text. */
  candidates?(): readonly string[] | Promise<readonly string[]>;
}

export interface CompletionSources {
  readonly commands: readonly CompletableCommand[];
  /** The paths in a folder of the workspace, relative to it, with a slash after a folder; `""` is the workspace. */
  files(folder: string): Promise<readonly string[]>;
}

/** Maximum candidates. */
const CANDIDATES_MAX = 50;

/** Complete the line before the cursor: a slash command, its argument, or the path of a mention. */
export async function complete(line: string, { commands, files }: CompletionSources): Promise<Completion> {
  const [, given] = /^\/(\S*)$/.exec(line) ?? [];
  if (given !== undefined)
    return matching(
      line,
      commands.map(({ name }) => `/${name}`),
    );
  const [, name, argument = ""] = /^\/(\S+)\s+(.*)$/s.exec(line) ?? [];
  const command = commands.find((each) => each.name === name);
  if (command?.candidates !== undefined) return matching(argument, await command.candidates());
  return completeMention(line, files);
}

const matching = (word: string, all: readonly string[]): Completion => ({
  word,
  candidates: all.filter((each) => each.startsWith(word)).slice(0, CANDIDATES_MAX),
});

/** Complete the path of the mention at the end of a line. */
export async function completeMention(line: string, files: CompletionSources["files"]): Promise<Completion> {
  const [, mention] = /(?:^|[\s(])(@(?:"[^"]*|[^\s"]*))$/.exec(line) ?? [];
  if (mention === undefined) return { word: "", candidates: [] };
  const [, start = "", slash = "", path = ""] = /^(@"?)(\/?)(.*)$/s.exec(mention) ?? [];
  const paths = await files(path.slice(0, path.lastIndexOf("/") + 1));
  const isQuoted = start !== "@";
  const found = paths.filter((each) => each.startsWith(path)).slice(0, CANDIDATES_MAX);
  return { word: mention, candidates: found.map((each) => formatMention(`${slash}${each}`, isQuoted)) };
}

/** A path with white space is quoted. The quotes of a folder stay open, for what is in it. */
function formatMention(path: string, isQuoted: boolean): string {
  if (!isQuoted && !/[\s"]/.test(path)) return `@${path}`;
  return path.endsWith("/") ? `@"${path}` : `@"${path}"`;
}
