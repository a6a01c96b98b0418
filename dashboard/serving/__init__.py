"""What serves the pages to many people: early figures, limits, compression, threads, changes of Streamlit."""
