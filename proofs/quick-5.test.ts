import { testQuickProofs } from "./quick.ts";

testQuickProofs(4, "tested");
