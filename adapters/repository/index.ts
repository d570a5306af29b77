export { gitRepository, type RepositoryOptions } from "./git-repository.ts";
