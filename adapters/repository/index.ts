export { type GitHeadOptions, gitHead } from "./git-head.ts";
export { gitRepository, type RepositoryOptions } from "./git-repository.ts";
