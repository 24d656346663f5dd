export { commitLog, keptRecords, type KeptPlace } from './kept-records'
export {
  type BookRow,
  commitOf,
  CommitShape,
  RecordShape,
  type RecordSource,
  rowOf
} from './record-source'
