import './theme/app.css'

// The frame in index.html is drawn before the application, which takes several times as long to load, is even asked for.
requestAnimationFrame(() => requestAnimationFrame(() => void import('./main')))
