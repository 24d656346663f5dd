export { readGitTree } from './git-tree'
export { isHarnessRow, rowFacts } from './row-facts'
export { ServedHarness, servedTree } from './served-tree'
export { compareTrees, diffFile, type HarnessTree } from './tree'
