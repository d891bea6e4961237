const data = JSON.parse(document.getElementById('data').textContent);

// What is chosen: places in the lists of measures, hole models, topics and runs.
const state = { measure: 0, holes: 0, topic: null, against: null };
