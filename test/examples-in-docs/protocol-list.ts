import ts from "typescript";
import { shippedProtocols } from "../../control/protocols/shipped.ts";

/** The shipped protocols, each with the docstring of the function that makes it. */
export function protocolList(program: ts.Program): string {
  const names = new Map(
    shippedProtocols({ threshold: 0.5, auditBudget: 1 }).map(({ name }) => [fileOf(name), name]),
  );
  return [...names].map(([file, name]) => `## ${titleOf(name)}\n\n${docOf(program, file)}`).join("\n\n");
}

/** Two protocols of one file differ in an option. */
const fileOf = (name: string): string =>
  `control/protocols/${name
    .replace(/ (in (parallel|sequence)|with honeypots)$/, "")
    .replace(" the ", " ")
    .replaceAll(" ", "-")}.ts`;

const titleOf = (name: string): string => {
  const title = name.replace(/ in (parallel|sequence)$/, "");
  return title.charAt(0).toUpperCase() + title.slice(1);
};

/** The paragraphs of the docstring of a file's protocol, without the line breaks of the source. */
function docOf(program: ts.Program, file: string): string {
  const source = program.getSourceFiles().find(({ fileName }) => fileName.endsWith(file));
  const found = source?.statements.filter(ts.isVariableStatement).at(-1);
  const [doc] = found === undefined ? [] : ts.getJSDocCommentsAndTags(found);
  const text = doc === undefined ? undefined : ts.getTextOfJSDocComment(doc.comment);
  if (text === undefined) throw new Error(`${file} has no documented protocol.`);
  return text
    .split("\n\n")
    .map((paragraph) => paragraph.replaceAll("\n", " "))
    .join("\n\n");
}
