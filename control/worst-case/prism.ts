import type { Protocol } from "../protocol.ts";
import { type Choice, ENDS, nodeOfEnd, type Process, START } from "./process.ts";
import { type ProcessOptions, processOf } from "./process-builder.ts";

/**
 * The process of a protocol as a model of PRISM (an MDP), with the property whose value is 1 - the minimum safety.
 *
 * @throws ControlError where `worstCase` does
 */
export function formatPrism(protocol: Protocol, options: ProcessOptions): string {
  const process = processOf(protocol, options, "attackFirst");
  const { nodes, length } = process;
  return `// ${oneLine(protocol.name)}. 1 - minimum safety: Pmax=? [ F "attacked" ]
mdp

const int length = ${length};

module run
  // ${ENDS.map((end) => `${nodeOfEnd(end)}: ${end}`).join(", ")}. From ${START}: the choices of the untrusted policy.
  s : [0..${nodes.length - 1}] init ${START};
  // Decisions that remain.
  t : [0..length] init length;

${nodes.flatMap(({ choices }, id) => choices.map((choice) => formatChoice(choice, id, process))).join("\n")}
  [] s<${START} | t=0 -> true;
endmodule

label "attacked" = s=${nodeOfEnd("attacked")};

rewards "audits"
${nodes.flatMap(({ choices }, id) => choices.flatMap((choice) => formatAudits(choice, id))).join("\n")}
endrewards
`;
}

/** A name in a comment: a line break would end it, and invisible characters would hide a part of it. */
const oneLine = (name: string): string =>
  name
    .replace(/\s+/g, " ")
    .replace(/\p{C}/gu, (char) => `\\u${char.codePointAt(0)?.toString(16).padStart(4, "0")}`);

function formatChoice({ action, branches }: Choice, id: number, { nodes }: Process): string {
  const updates = branches.map(({ probability, to }) => {
    const isNext = to >= START && nodes[to]?.samples === 0;
    return `${probability}:(s'=${to})${isNext ? "&(t'=t-1)" : ""}`;
  });
  return `  [${labelOf(action)}] s=${id} & t>0 -> ${updates.join(" + ")};`;
}

function formatAudits({ action, branches }: Choice, id: number): readonly string[] {
  const audits = branches.reduce((sum, branch) => sum + branch.probability * branch.audits, 0);
  return audits === 0 ? [] : [`  [${labelOf(action)}] s=${id} : ${audits};`];
}

const labelOf = (action: string): string => action.replaceAll(" ", "_");
