/** The visual debugger, built for a page in one file. */
export interface BuiltPage {
  /** The scripts in their order. The last one is the library. */
  readonly scripts: readonly string[];
  readonly style: string;
}

/** The library after what it can't load from a file beside it. */
const SCRIPTS = ["embed-markdown.js", "embed.js"];

/** The last line of a script, by which it is a module. A script in a page has no exports. */
const EXPORT_LINE = /\nexport const \{[^}]*\} = \w+;\s*$/;

/** The built page from its files, which `read` reads by their names. */
export async function builtPage(read: (name: string) => Promise<string>): Promise<BuiltPage> {
  const [style = "", ...scripts] = await Promise.all(["embed.css", ...SCRIPTS].map(read));
  return { scripts: scripts.map((script) => script.replace(EXPORT_LINE, "")), style };
}
