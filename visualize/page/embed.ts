import "./no-eval.ts";
import "./style/index.css";

export * from "./index.ts";
