import type { Commit } from "./commit.ts";

/** One commit that does what these did, one after another. */
export function merge(commits: readonly [Commit, ...Commit[]]): Commit {
  const first = commits[0];
  const last = commits.at(-1) ?? first;
  const ended = commits.findLastIndex((commit) => commit.turnEnded);
  const facts = Object.assign({}, ...commits.map((commit) => commit.facts));
  const queue = commits.findLast((commit) => commit.queue !== undefined)?.queue;
  return {
    cause: last.cause,
    before: first.before,
    after: last.after,
    log: commits.flatMap((commit) => commit.log),
    conversation: commits.flatMap((commit) => commit.conversation),
    decisions: commits.flatMap((commit) => commit.decisions),
    ...(queue !== undefined && { queue }),
    turnEnded: ended >= 0,
    calls: commits.slice(Math.max(ended, 0)).flatMap((commit) => commit.calls),
    ...(Object.keys(facts).length > 0 && { facts }),
    effects: commits.flatMap((commit) => commit.effects),
    reports: commits.flatMap((commit) => commit.reports),
  };
}
