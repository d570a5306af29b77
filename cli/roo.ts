#!/usr/bin/env node
import { startProcess } from "./start-process.ts";

await startProcess("signalbox-roo");
