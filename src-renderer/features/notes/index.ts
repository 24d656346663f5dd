export { NotesTab } from './notes-tab'
